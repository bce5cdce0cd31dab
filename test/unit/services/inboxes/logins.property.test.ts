import fc from 'fast-check';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {Inbox} from '../../../../src/domain/mail/inbox.js';
import {SmtpSession} from '../../../helpers/smtp-session.js';
import {type Person, Tinbox} from '../../../helpers/tinbox.js';

let tinbox: Tinbox;
let ann: Person;
beforeAll(async () => {
	tinbox = await Tinbox.open();
	ann = await tinbox.user('ann');
});
afterAll(async () => tinbox.close());

/** Inboxes by their routing. */
const someInboxes = fc.array(fc.constantFrom('login', 'recipients'), {minLength: 2, maxLength: 5});

/**
 * Session that logs in to one of the inboxes (or as nobody, or as a stranger) and sends mail to some of them.
 * Numbers are indexes, modulo the number of inboxes.
 */
const someSession = fc.record({
	login: fc.oneof(fc.nat(9), fc.constantFrom('nobody', 'stranger')),
	byAddress: fc.boolean(),
	mails: fc.array(fc.array(fc.nat(9), {minLength: 1, maxLength: 3}), {minLength: 1, maxLength: 3}),
});

let subjects = 0;

test('mail is stored once, in the inbox of its login or of its recipients', async () => {
	await fc.assert(
		fc.asyncProperty(someInboxes, fc.array(someSession, {minLength: 1, maxLength: 6}), async (routings, sessions) => {
			const inboxes: Inbox[] = [];
			for (const routing of routings) {
				const fields = {name: null, teamId: null, address: null, ttlSeconds: null, routing};
				inboxes.push((await tinbox.services.inboxes.create(ann.user, fields)).inbox);
			}

			const inboxAt = (index: number) => inboxes[index % inboxes.length] as Inbox;
			const expected = new Map(inboxes.map(({id}) => [id, [] as string[]]));
			await Promise.all(
				sessions.map(async ({login, byAddress, mails}) => {
					const session = await SmtpSession.open(tinbox.smtp);
					const inbox = typeof login === 'number' ? inboxAt(login) : undefined;
					if (login !== 'nobody') {
						await session.command(`AUTH PLAIN ${await tokenOf(inbox, byAddress)}`, '235');
					}

					for (const recipients of mails) {
						const subject = `Mail ${subjects++}`;
						const addressed = recipients.map(inboxAt);
						const expectedInboxes = inbox?.routing === 'login' ? [inbox] : [...new Set(addressed)];
						for (const {id} of expectedInboxes) {
							expected.get(id)?.push(subject);
						}

						await session.command('MAIL FROM:<app@example.test>', '250');
						for (const {address} of addressed) {
							await session.command(`RCPT TO:<${address}>`, '250');
						}

						await session.command('DATA', '354');
						await session.command(`Subject: ${subject}\r\n\r\n.`, '250');
					}

					await session.quit();
				}),
			);
			for (const [id, sent] of expected) {
				const found = await tinbox.services.messages.list(ann.user, id, {}, {page: 1, limit: 100});
				expect(found.map(({summary}) => summary.subject).sort()).toEqual(sent.sort());
			}
		}),
		{numRuns: 25},
	);
});

async function tokenOf(inbox: Inbox | undefined, byAddress: boolean): Promise<string> {
	const {username, password} = inbox
		? await tinbox.services.logins.credentialsOf(inbox)
		: {username: 'apikey', password: 'SG.x'};
	return Buffer.from(`\0${inbox && byAddress ? inbox.address : username}\0${password}`).toString('base64');
}
