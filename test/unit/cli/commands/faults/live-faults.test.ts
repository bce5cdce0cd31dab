import {expect, test} from 'vitest';
import {apiClient} from '../../../../../src/client/index.js';
import {runFake} from '../../../../helpers/context.js';
import {openTinbox} from '../../../../helpers/tinbox.js';

/** A daemon in this process with one inbox of the local user, and the CLI connected to it. */
async function openInbox() {
	const tinbox = await openTinbox();
	const {key} = await tinbox.user('ann', 'localhost');
	const client = apiClient({url: tinbox.url, apiKey: key});
	const {id, email_address} = await client.inboxes.create({name: 'signup'});
	return {
		address: email_address,
		isWaiting: () => tinbox.services.feed.waiting(id) > 0,
		tinbox: async (...args: readonly string[]) => runFake(args, {}, {api: async () => client}),
		/** Evaluates the faults for a RCPT command that names the inbox. */
		rcpt: async () =>
			tinbox.faultEngine.evaluate({
				stage: 'rcpt',
				client: {host: '127.0.0.1', helo: 'app'},
				user: null,
				inboxIds: [id],
				from: 'shop@example.com',
				to: [email_address],
			}),
	};
}

test.each<{args: string; message: string}>([
	{
		args: 'signup|--stage|rcpt|--reply|451 5.7.1 Later',
		message: '--reply has the code 451 and the enhanced code 5.7.1',
	},
	{args: 'signup|--stage|rcpt|--reply|250 Fine', message: '--reply must be a 4xx or 5xx code'},
	{
		args: 'signup|--stage|rcpt',
		message: '--reply is required, unless "rate", "delay_ms", "byte_delay_ms" or "drop" is set',
	},
	{args: 'signup|greylist|--per|message', message: '--per can be "message" only at stage "end"'},
	{args: 'signup|greylist|--drop|after-commit', message: '--drop can be "after_commit" only at stage "end"'},
	{
		args: 'signup|drop-after-commit|--reply|451 Later',
		message: '--drop cannot be "after_commit" together with "reply"',
	},
	{args: 'signup|greylist|--subject|a', message: '--subject is not available at stage "rcpt"'},
	{args: 'signup|greylist|--to|/(/', message: '--to is not a valid regular expression'},
	{args: 'signup|greylist|--probability|2', message: '--probability must be at most 1.'},
])('faults add names the flag that the daemon rejects: $args', async ({args, message}) => {
	const {tinbox} = await openInbox();
	const {exitCode, stdout, stderr} = await tinbox('faults', 'add', ...args.split('|'));
	expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
	expect(stderr).toContain(message);
});

test('faults add accepts every preset, and the first matching fault acts', async () => {
	const {tinbox, rcpt} = await openInbox();
	for (const preset of ['drop-after-commit', 'greylist', 'unknown-user', 'auth-fail', 'drop-mid', 'tarpit']) {
		expect(await tinbox('faults', 'add', 'signup', preset)).toMatchObject({exitCode: 0, stderr: ''});
	}

	for (const preset of ['rate-limit', 'mailbox-full', 'tls-fail']) {
		expect(await tinbox('faults', 'add', '--daemon', preset)).toMatchObject({exitCode: 0, stderr: ''});
	}

	expect([(await rcpt())?.reply?.code, (await rcpt())?.reply?.code]).toEqual([451, 550]);
	const {stdout} = await tinbox('faults', 'list', 'signup', '--json=name,seen,hit_count');
	expect(JSON.parse(stdout)).toContainEqual({name: 'greylist', seen: 2, hit_count: 1});
	expect((await tinbox('faults', 'clear', 'signup')).stderr).toContain('Deleted 6 faults');
	expect((await tinbox('faults', 'clear', '--daemon', 'tls-fail')).stderr).toContain('of the daemon');
	expect(JSON.parse((await tinbox('faults', 'list', '--daemon', '--json=name')).stdout)).toEqual([
		{name: 'rate-limit'},
		{name: 'mailbox-full'},
	]);
});

test('faults wait points to --daemon if only the daemon has a fault with the name', async () => {
	const {tinbox, address} = await openInbox();
	await tinbox('faults', 'add', '--daemon', 'greylist');
	expect(await tinbox('faults', 'wait', 'signup', 'greylist')).toEqual({
		exitCode: 5,
		stdout: '',
		stderr: `${address} has no fault "greylist".\nThe daemon has a fault with this name: use --daemon instead of the inbox.\n`,
	});
});

test('faults wait counts earlier hits and ends with the last required hit', async () => {
	const {tinbox, rcpt, isWaiting} = await openInbox();
	await tinbox('faults', 'add', 'signup', 'mailbox-full');
	await rcpt();
	const waiting = tinbox('faults', 'wait', 'signup', 'mailbox-full', '--count', '2', '--json=stage,reply');
	await expect.poll(isWaiting).toBe(true);
	await rcpt();
	const {exitCode, stdout} = await waiting;
	const line = JSON.stringify({stage: 'rcpt', reply: '452 4.2.2 Mailbox full'});
	expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: `${line}\n${line}\n`});
});

test('a wait that times out reports hits of inbox faults and daemon faults', async () => {
	const {tinbox, rcpt, address} = await openInbox();
	await tinbox('faults', 'add', 'signup', 'greylist');
	await tinbox('faults', 'add', '--daemon', 'unknown-user', '--to', 'signup');
	await tinbox('faults', 'add', '--daemon', 'mailbox-full', '--to', address);
	await rcpt();
	await rcpt();
	await rcpt();
	const {stderr} = await runAndNormalise(
		tinbox('faults', 'wait', 'signup', 'greylist', '--count', '2', '--timeout', '0'),
	);
	expect(stderr).toContain('"greylist" of');
	expect(stderr).toContain('12:00:00 127.0.0.1 (app) at rcpt from <shop@example.com>');
	expect(stderr).toContain('The fault skipped 2 of 3 matches.');
	const waited = await runAndNormalise(tinbox('messages', 'wait', 'signup', '--timeout', '0'));
	expect(waited.stderr).toContain(`No other message arrived.
2 mails were answered 452 4.2.2 Mailbox full by fault "mailbox-full", most recently at 12:00:00.
1 mail was answered 451 4.7.1 Greylisted, try again later by fault "greylist" at 12:00:00.
`);
});

async function runAndNormalise(running: Promise<{readonly stderr: string}>) {
	const {stderr} = await running;
	return {stderr: stderr.replace(/\d\d:\d\d:\d\d/g, '12:00:00')};
}
