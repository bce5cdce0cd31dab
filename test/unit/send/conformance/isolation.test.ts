import {expect, test} from 'vitest';
import {openTinbox} from '../../../helpers/tinbox.js';
import {openMailbox} from './mailbox.js';
import {mails} from './requested-mails.js';
import {sdks} from './sdks.js';

const keys = 200;
const concurrency = 20;
const mailsEach = 2;

test(`each of ${keys} keys delivers only to its own inbox in ${concurrency} concurrent calls of all SDKs`, async () => {
	const tinbox = await openTinbox();
	const ann = await tinbox.user('ann');
	const mailboxes = await Promise.all(Array.from({length: keys}, () => openMailbox(tinbox, ann)));
	const [plain] = mails;
	const pending = Array.from({length: keys * mailsEach}, (_, index) => index);
	await Promise.all(
		Array.from({length: concurrency}, async () => {
			for (let index = pending.shift(); index !== undefined; index = pending.shift()) {
				const mailbox = mailboxes[index % keys];
				const sdk = sdks[index % sdks.length];
				// The address of another inbox: only the key selects the inbox.
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
	const stored = await Promise.all(
		mailboxes.map(async ({summaries}) => (await summaries()).map(({subject}) => subject)),
	);
	expect(stored.map(subjects => subjects.toSorted())).toEqual(expected.map(subjects => subjects.toSorted()));
});
