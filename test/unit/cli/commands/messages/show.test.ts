import {expect, test} from 'vitest';
import type {FullMessageBody} from '../../../../../src/contract/messages.js';
import {inboxBody, messageBody} from '../../../../helpers/bodies.js';
import {runFake} from '../../../../helpers/context.js';

const show = async (...args: Parameters<typeof run>) => (await run(...args)).stdout;

async function run(fields: Partial<FullMessageBody>, ...args: readonly string[]) {
	return runFake(['messages', 'show', 'signup', 'm1', ...args], {
		inboxes: {get: async () => inboxBody()},
		messages: {get: async () => messageBody(fields)},
	});
}

const named: Partial<FullMessageBody> = {
	from_name: 'Shop\x1b]0;evil\x07\u202e',
	recipients: {
		to: [
			{name: 'Jo\u200b', address: 'jo@example.com'},
			{name: null, address: 'al@example.com'},
		],
		cc: [{name: 'Bob\r\nBcc: x', address: 'bob@example.com'}],
		reply_to: [],
	},
};

test('messages show prints To and Cc of the header, and the envelope recipient if it differs', async () => {
	const [head = ''] = (await show(named)).split('\n\n');
	expect(head.split('\n')).toEqual([
		'From: Shop <shop@example.com>',
		'To: "Jo<U+200B>" <jo@example.com>, al@example.com',
		'Cc: "Bob Bcc: x" <bob@example.com>',
		'Recipient: signup@tinbox.test',
		'Subject: Welcome',
		'Received: 2026-01-01T11:59:56.000Z',
	]);
	expect((await show({})).split('\n').slice(0, 3)).toEqual([
		'From: shop@example.com',
		'To: signup@tinbox.test',
		'Subject: Welcome',
	]);
});

test('messages show prints TLS, login and client of the SMTP session in one line', async () => {
	const session = {
		tls: {version: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', servername: null},
		auth: {mechanism: 'PLAIN', user: 'ann\x1b[2J\u202e\nBcc: x'},
		client: {host: '127.0.0.1', helo: 'app\x9b'},
	};
	expect((await show({session})).split('\n')[4]).toBe(
		'Session: TLSv1.3 (TLS_AES_256_GCM_SHA384), login PLAIN as "ann\\u001b[2J\\nBcc: x", from 127.0.0.1 (app)',
	);
});

test('messages show --field from_name prints the sender name, and --json includes all names', async () => {
	expect((await run(named, '--field', 'from_name')).stdout).toBe('Shop\n');
	expect(await run({}, '--field', 'from_name')).toMatchObject({
		exitCode: 6,
		stdout: '',
		stderr: expect.stringContaining('The message "Welcome" has no from_name.'),
	});
	expect(JSON.parse(await show(named, '--json=from_name,recipients'))).toEqual({
		from_name: named.from_name,
		recipients: named.recipients,
	});
});
