import {expect, test} from 'vitest';
import {apiClient} from '../../../../../src/client/index.js';
import {runFake} from '../../../../helpers/context.js';
import {openTinbox} from '../../../../helpers/tinbox.js';

/** A daemon with one inbox of its local user, and the command line on top of it. */
async function openInbox() {
	const tinbox = await openTinbox();
	const {key} = await tinbox.user('ann', 'localhost');
	const client = apiClient({url: tinbox.url, apiKey: key});
	const {id, email_address} = await client.inboxes.create({name: 'signup'});
	return {
		address: email_address,
		/** Whether somebody waits for hits of the inbox. */
		waiting: () => tinbox.services.feed.waiting(id) > 0,
		tinbox: async (...words: readonly string[]) => runFake(words, {}, {api: async () => client}),
		/** A client names the inbox as a recipient. */
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

test.each<{words: string; says: string}>([
	{words: 'signup|--stage|rcpt|--reply|451 5.7.1 Later', says: '--reply has the code 451 and the enhanced code 5.7.1'},
	{words: 'signup|--stage|rcpt|--reply|250 Fine', says: '--reply must be a 4xx or 5xx code'},
	{
		words: 'signup|--stage|rcpt',
		says: '--reply is required, unless "rate", "delay_ms", "byte_delay_ms" or "drop" is set',
	},
	{words: 'signup|greylist|--per|message', says: '--per can be "message" only at stage "end"'},
	{words: 'signup|greylist|--drop|after-commit', says: '--drop can be "after_commit" only at stage "end"'},
	{words: 'signup|drop-after-commit|--reply|451 Later', says: '--drop cannot be "after_commit" together with "reply"'},
	{words: 'signup|greylist|--subject|a', says: '--subject is not available at stage "rcpt"'},
	{words: 'signup|greylist|--to|/(/', says: '--to is not a valid regular expression'},
	{words: 'signup|greylist|--probability|2', says: '--probability must be at most 1.'},
])('what the daemon refuses names the flag: $words', async ({words, says}) => {
	const {tinbox} = await openInbox();
	const {exitCode, stdout, stderr} = await tinbox('faults', 'add', ...words.split('|'));
	expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
	expect(stderr).toContain(says);
});

test('every preset is taken, and the first that fits acts', async () => {
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

test('a fault of the daemon is no fault of an inbox, and is found', async () => {
	const {tinbox, address} = await openInbox();
	await tinbox('faults', 'add', '--daemon', 'greylist');
	expect(await tinbox('faults', 'wait', 'signup', 'greylist')).toEqual({
		exitCode: 5,
		stdout: '',
		stderr: `${address} has no fault "greylist".\nThe daemon has a fault with this name: use --daemon instead of the inbox.\n`,
	});
});

test('faults wait ends as soon as the last hit is there, and counts those before', async () => {
	const {tinbox, rcpt, waiting} = await openInbox();
	await tinbox('faults', 'add', 'signup', 'mailbox-full');
	await rcpt();
	const waited = tinbox('faults', 'wait', 'signup', 'mailbox-full', '--count', '2', '--json=stage,reply');
	await expect.poll(waiting).toBe(true);
	await rcpt();
	const {exitCode, stdout} = await waited;
	const line = JSON.stringify({stage: 'rcpt', reply: '452 4.2.2 Mailbox full'});
	expect({exitCode, stdout}).toEqual({exitCode: 0, stdout: `${line}\n${line}\n`});
});

test('waits in vain tell what faults did, of the inbox and of the daemon', async () => {
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
