import {expect, test} from 'vitest';
import {openTinbox} from '../../../helpers/tinbox.js';
import {openMailbox} from './mailbox.js';
import {mails} from './mails.js';
import {sdks} from './sdks.js';

const keys = 200;
const atOnce = 20;
const mailsEach = 2;

test(`of ${keys} keys, ${atOnce} used at once by all SDKs in turn, each brings its mails to its own inbox alone`, async () => {
	const tinbox = await openTinbox();
	const ann = await tinbox.user('ann');
	const mailboxes = await Promise.all(Array.from({length: keys}, () => openMailbox(tinbox, ann)));
	const [plain] = mails;
	const pending = Array.from({length: keys * mailsEach}, (_, index) => index);
	await Promise.all(
		Array.from({length: atOnce}, async () => {
			for (let index = pending.shift(); index !== undefined; index = pending.shift()) {
				const mailbox = mailboxes[index % keys];
				const sdk = sdks[index % sdks.length];
				// Somebody else's address: the key alone says for whom it is.
				const to = [{name: '', address: mailboxes[(index + 1) % keys]?.inbox.address ?? ''}];
				if (mailbox && sdk && plain) {
					await sdk.send({...plain, to, subject: `Mail ${index}`}, mailbox.account(sdk.provider));
				}
			}
		}),
	);
	const expected = mailboxes.map((_, number) =>
		Array.from({length: mailsEach}, (_, round) => `Mail ${number + round * keys}`),
	);
	const shown = await Promise.all(
		mailboxes.map(async ({summaries}) => (await summaries()).map(({subject}) => subject)),
	);
	expect(shown.map(subjects => subjects.toSorted())).toEqual(expected.map(subjects => subjects.toSorted()));
});
