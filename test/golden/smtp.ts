import {expect} from 'vitest';
import {apiClient} from '../../src/client/index.js';
import {presetFault} from '../../src/contract/fault-presets.js';
import {openTinbox} from '../helpers/tinbox.js';
import {RawClient} from '../unit/smtp/test-server.js';
import {normalize} from './transcript.js';

const greeting = ['EHLO client.test'];
const toInbox = [...greeting, 'MAIL FROM:<a@example.test>', 'RCPT TO:<signup@tinbox.test>'];
const data = (...lines: readonly string[]) => [...toInbox, 'DATA', [...lines, '.'].join('\r\n')];
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Client lines of each session; the last one may end a mail. */
const sessions: Readonly<Record<string, readonly string[]>> = {
	'a mail to an inbox': [...data('Subject: Hello', '', 'Hi'), 'QUIT'],
	'an unknown recipient': [...greeting, 'MAIL FROM:<a@example.test>', 'RCPT TO:<nobody@tinbox.test>'],
	'an invalid recipient': [...greeting, 'MAIL FROM:<a@example.test>', 'RCPT TO:<nobody>', 'RCPT TO:signup@tinbox.test'],
	'an invalid sender': [...greeting, 'MAIL FROM:<a', 'MAIL TO:<a@example.test>'],
	'commands out of order': ['MAIL FROM:<a@example.test>', ...greeting, 'RCPT TO:<signup@tinbox.test>', 'DATA'],
	'an unknown command': [...greeting, 'FROB', 'VRFY signup@tinbox.test', 'HELP', 'NOOP', 'RSET'],
	'a mail that declares too large a size': [...greeting, 'MAIL FROM:<a@example.test> SIZE=99999999'],
	'a mail that is too large': data('Subject: Large', '', 'x'.repeat(70_000)),
	'a bare line feed in the data': data('Subject: Smuggled\nX: y', '', 'Hi'),
	'AUTH with the password of no inbox': [
		...greeting,
		`AUTH PLAIN ${base64('\0signup@tinbox.test\0wrong')}`,
		'AUTH PLAIN %%%',
		'AUTH FROB',
	],
	'AUTH with any user': [...greeting, `AUTH PLAIN ${base64('\0someone\0secret')}`, 'AUTH PLAIN again'],
	'fault addresses': [
		...greeting,
		'MAIL FROM:<a@example.test>',
		'RCPT TO:<signup+fail-451@tinbox.test>',
		'RCPT TO:<signup+fail-550-5.1.1@tinbox.test>',
		'RCPT TO:<signup+fail+550+no+such+user@tinbox.test>',
		'RCPT TO:<signup+greylist@tinbox.test>',
	],
};

/** Presets whose reply is part of the session; the others end the connection or only delay it. */
const replyingPresets = ['greylist', 'rate-limit', 'mailbox-full', 'unknown-user', 'auth-fail'];

/** Sessions with a daemon in this process: each line of the client and its reply. The greeting is recorded once. */
export async function recordSmtp(): Promise<string> {
	const tinbox = await openTinbox({settings: {maxMessageSize: 65_536}});
	const {key} = await tinbox.user('ann', 'localhost');
	const client = apiClient({url: tinbox.url, apiKey: key});
	const inbox = await client.inboxes.create({email_address: 'signup@tinbox.test', name: 'signup'});
	const lines: string[] = [];
	const play = async (title: string, commands: readonly string[]) => {
		lines.push(`# ${title}`);
		const client = RawClient.connect(tinbox.smtp.port);
		lines.push(`S: ${await client.reply()}`);
		for (const line of commands) {
			const reply = await client.say(line);
			if (line === greeting[0] && lines.includes(`C: ${line}`)) {
				continue;
			}

			lines.push(
				`C: ${line.length > 200 ? `${line.slice(0, 40)}…` : line}`,
				...reply.split('\r\n').map(text => `S: ${text}`),
			);
		}

		client.send('QUIT\r\n');
		await client.closed();
		lines.push('');
	};
	for (const [title, commands] of Object.entries(sessions)) {
		await play(title, commands);
	}

	for (const preset of replyingPresets) {
		const {id} = await client.faults.create(inbox.id, presetFault(preset) ?? expect.unreachable());
		await play(`the fault preset ${preset}`, toInbox);
		await client.faults.delete(inbox.id, id);
	}

	return normalize(lines.join('\n'));
}
