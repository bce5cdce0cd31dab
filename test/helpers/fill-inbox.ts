import {Readable} from 'node:stream';
import {openJsonStore} from '../../src/store/json/open.js';
import {someMessage} from '../unit/store/rows.js';
import {silent} from './resources.js';

const messagesPerCommit = 1000;

/** A mail with a code and a link. */
const source = [
	'From: Acme <hello@acme.example>',
	'To: you@tinbox.test',
	'Subject: Confirm your sign-up',
	'',
	'Welcome. Your code is 482193. Or click https://acme.example/confirm?token=1.',
	'',
].join('\r\n');

/**
 * Writes the messages `Mail 1` to `Mail <count>`, one second apart and the last one now, to an inbox in the data folder of a
 * stopped daemon. This is much faster than sending them.
 */
export async function fillInbox(dir: string, inboxId: string, count: number): Promise<void> {
	const store = await openJsonStore({dir, log: silent});
	const inbox = await store.inboxes.get(inboxId);
	const to = inbox?.address ?? '';
	const now = Date.now();
	for (let first = 1; first <= count; first += messagesPerCommit) {
		const staged = await store.sources.stage(Readable.from([Buffer.from(source)]));
		const messages = Array.from({length: Math.min(messagesPerCommit, count - first + 1)}, (_, index) => {
			const number = first + index;
			return someMessage(inboxId, staged, {
				to,
				envelope: {from: 'bounces@acme.example', to: [to]},
				receivedAt: new Date(now - (count - number) * 1000).toISOString(),
				summary: {
					from: `sender-${number % 50}@acme.example`,
					fromName: `Sender ${number % 50}`,
					to: [to],
					cc: [],
					replyTo: [],
					subject: `Mail ${number}`,
					messageId: `${number}@acme.example`,
				},
			});
		});
		await store.messages.add({source: staged, messages, deliveries: []});
	}

	await store.close();
}
