import {hostname} from 'node:os';
import {Readable} from 'node:stream';
import {describe, expect, test} from 'vitest';
import {apiClient} from '../../../../../src/client/index.js';
import {runFake} from '../../../../helpers/context.js';
import {openTinbox} from '../../../../helpers/tinbox.js';

/** A daemon in this process with the inbox `signup`, and `tinbox sendmail` connected to it. */
async function openSendmail(address: string | null = null) {
	const tinbox = await openTinbox();
	const {user, key} = await tinbox.user('ann', 'localhost');
	const options = {name: 'signup', teamId: null, address, ttlSeconds: null};
	const {inbox} = await tinbox.services.inboxes.create(user, options);
	const client = apiClient({url: tinbox.url, apiKey: key});
	return {
		inbox,
		sendmail: async (args: readonly string[], mail: string, env: NodeJS.ProcessEnv = {}) =>
			runFake(['sendmail', ...args], {}, {api: async () => client, env, stdin: Readable.from([Buffer.from(mail)])}),
		messages: async () => client.messages.list(inbox.id),
		raw: async () => String(await client.messages.raw(inbox.id, 'latest')),
	};
}

test('sendmail -t sends to the recipients of the header, with the -f sender and CRLF line ends', async () => {
	const {sendmail, inbox, messages, raw} = await openSendmail();
	const plus = inbox.address.replace('@', '+copy@');
	const mail = `To: Ann <${inbox.address}>\nBcc: ${plus}\nSubject: Hi\n\nHello\n.\nthere\n`;
	expect(await sendmail(['-t', '-i', '-fshop@example.com'], mail)).toEqual({exitCode: 0, stdout: '', stderr: ''});
	expect(await messages()).toMatchObject([
		{subject: 'Hi', envelope: {from: 'shop@example.com', to: [inbox.address, plus]}},
	]);
	const source = await raw();
	expect(source).not.toMatch(/bcc|(?<!\r)\n/i);
	expect(source).toMatch(/\r\n\r\nHello\r\n\.\r\nthere\r\n$/);
});

test('sendmail accepts inbox names, address lists, the empty sender and DSN flags', async () => {
	const {sendmail, inbox, messages} = await openSendmail();
	const args = ['-f', '<>', '-N', 'never', '-R', 'full', '-V', 'id-1', 'signup', `A <${inbox.address}>, signup`];
	expect(await sendmail(args, 'Subject: Hi\n\n')).toMatchObject({exitCode: 0, stderr: ''});
	const dsn = {ret: 'FULL', envid: 'id-1', recipients: {[inbox.address]: {notify: ['NEVER']}}};
	expect(await messages()).toMatchObject([{envelope: {from: '', to: [inbox.address], dsn}}]);
});

test('sendmail resolves an unknown name to a user at the local host', async () => {
	const {sendmail, messages} = await openSendmail('*');
	expect((await sendmail(['root'], 'done\n')).exitCode).toBe(0);
	expect(await messages()).toMatchObject([{envelope: {to: [`root@${hostname()}`]}}]);
});

test('sendmail logs in as the inbox of TINBOX_INBOX and delivers all mail to it', async () => {
	const {sendmail, inbox, messages} = await openSendmail();
	const env = {TINBOX_INBOX: 'signup'};
	expect((await sendmail(['-t'], 'To: root, ann@shop.example\n\nHi\n', env)).exitCode).toBe(0);
	expect(await messages()).toMatchObject([
		{envelope: {to: [`root@${hostname()}`, 'ann@shop.example']}, session: {auth: {user: inbox.id}}},
	]);
	expect(await sendmail(['a@b.test'], '', {TINBOX_INBOX: 'nobody'})).toMatchObject({
		exitCode: 78,
		stderr: expect.stringContaining('TINBOX_INBOX: There is no inbox "nobody".'),
	});
});

describe('sendmail exits with', () => {
	test('67 for an unknown recipient, and still delivers to the others', async () => {
		const {sendmail, messages} = await openSendmail();
		expect(await sendmail(['signup', 'nobody@x.test'], 'Subject: Hi\n\n')).toMatchObject({
			exitCode: 67,
			stderr: expect.stringContaining('<nobody@x.test>: no such inbox'),
		});
		expect(await messages()).toHaveLength(1);
	});

	test.each([
		'not an address',
		'Bob <not an address>',
		'a@b@c',
		'bob@',
		'@x.test',
		'Bob bob@',
		'ann@x.test, no address',
	])('65 for the invalid address list "%s", and delivers to no recipient', async to => {
		const {sendmail, messages} = await openSendmail('*');
		const result = await sendmail(['-t'], `To: ${to}\nSubject: Hi\n\n`);
		expect([result.exitCode, result.stderr]).toEqual([65, expect.stringContaining('" is not an address')]);
		expect((await sendmail(['-f', to.replace(/^ann@x.test, /, ''), 'signup'], 'Hi\n')).exitCode).toBe(65);
		expect(await messages()).toEqual([]);
	});

	test.each([
		[64, [], 'Specify recipients'],
		[65, ['-t'], 'has no recipients'],
		[64, ['-Z'], 'Unknown flag -Z'],
		[64, ['-bd'], 'tinbox daemon start'],
		[69, ['-bt'], 'Unsupported mode "t"'],
		[69, ['-S'], 'Unsupported mode "S"'],
	])('%i for the arguments %j', async (exitCode, args, text) => {
		const {stderr, ...result} = await runFake(['sendmail', ...args]);
		expect(result).toEqual({exitCode, stdout: ''});
		expect(stderr).toContain(text);
	});

	test('75 (retry later) if no daemon is running', async () => {
		expect((await runFake(['sendmail', 'ann@x.test'])).exitCode).toBe(75);
	});

	test.each([
		['-bp', 'Mail queue is empty'],
		['-q', 'Nothing is queued'],
		['-bi', 'There are no aliases'],
		['--version', 'tinbox '],
	])('0 for %s, which sends nothing', async (flag, text) => {
		expect(await runFake(['sendmail', flag])).toMatchObject({exitCode: 0, stdout: expect.stringContaining(text)});
	});
});

describe('sendmail -bs', () => {
	const session = [
		'EHLO app',
		'MAIL FROM:<a@x.test>',
		'RCPT TO:<b@x.test>',
		'DATA',
		'Subject: Hi',
		'',
		'Text',
		'.',
		'',
	];

	test('serves SMTP as the inbox of TINBOX_INBOX and answers every command sent before the end of stdin', async () => {
		const {sendmail, messages} = await openSendmail();
		const {exitCode, stdout} = await sendmail(['-bs'], session.join('\r\n'), {TINBOX_INBOX: 'signup'});
		expect(exitCode).toBe(0);
		expect(stdout).toMatch(/^220 .*\r\n250-.*\r\n354 [^\n]*\r\n250 [^\n]*Stored\r\n221 [^\n]*\r\n$/s);
		expect(await messages()).toMatchObject([{subject: 'Hi', envelope: {to: ['b@x.test']}}]);
	});

	test('passes rejections of the server on', async () => {
		const {sendmail} = await openSendmail();
		expect(await sendmail(['-bs'], `${session.slice(0, 3).join('\r\n')}\r\nQUIT\r\n`)).toMatchObject({
			exitCode: 0,
			stdout: expect.stringContaining('550 5.1.1 <b@x.test>'),
		});
	});
});
