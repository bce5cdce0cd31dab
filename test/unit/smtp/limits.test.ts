import {EventEmitter, once} from 'node:events';
import {createTransport} from 'nodemailer';
import {describe, expect, test, vi} from 'vitest';
import {RawClient, startServer} from './test-server.js';

test('a mail declared too large is rejected before it is sent', async () => {
	const {port} = await startServer({maxMessageSize: 1000});
	const client = await RawClient.open(port);
	expect(await client.say('MAIL FROM:<app@example.test> SIZE=1001')).toMatch(/^552 5\.3\.4 /);
	expect(await client.say('MAIL FROM:<app@example.test> SIZE=1000')).toMatch(/^250 /);
});

test('a mail that exceeds the maximum size is rejected, and its delivery is aborted immediately', async () => {
	const failures: unknown[] = [];
	const {port} = await startServer(
		{maxMessageSize: 1000},
		{
			async deliver(_envelope, _session, source) {
				await source.forEach(() => {}).catch(error => failures.push(error));
			},
		},
	);
	const client = await RawClient.open(port);
	await client.beginMail();
	client.send('x'.repeat(3000));
	await vi.waitFor(() => expect(failures).toEqual([expect.objectContaining({code: 'too_large'})]));
	expect(client.output).not.toContain('552');
	expect(await client.say('\r\n.')).toMatch(/^552 5\.3\.4 /);
	expect(await client.say('NOOP')).toMatch(/^250 /);
});

test('a mail of exactly the maximum size is accepted, and one byte more is not', async () => {
	const {port, mails} = await startServer({maxMessageSize: 100});
	const client = await RawClient.open(port);
	await client.beginMail();
	expect(await client.say(`${'x'.repeat(98)}\r\n.`)).toMatch(/^250 /);
	await client.beginMail();
	expect(await client.say(`${'x'.repeat(99)}\r\n.`)).toMatch(/^552 /);
	expect(mails.map(({source}) => source.length)).toEqual([100]);
});

test('a recipient above the limit is deferred, and the others get the mail', async () => {
	const {port, mails} = await startServer({maxRecipients: 2});
	const client = await RawClient.open(port);
	await client.say('MAIL FROM:<app@example.test>');
	await client.say('RCPT TO:<a@tinbox.test>');
	await client.say('RCPT TO:<b@tinbox.test>');
	expect(await client.say('RCPT TO:<c@tinbox.test>')).toMatch(/^452 4\.5\.3 /);
	await client.say('DATA');
	expect(await client.say('.')).toMatch(/^250 /);
	expect(mails[0]?.envelope.to).toEqual(['a@tinbox.test', 'b@tinbox.test']);
});

test('a recipient that needs another mail is deferred, and the check starts anew for each mail', async () => {
	const mailOfChecks: object[] = [];
	const {port, mails} = await startServer(
		{},
		{
			async acceptRecipient(_address, mail) {
				mailOfChecks.push(mail);
				return mailOfChecks.filter(other => other === mail).length === 1 || 'later';
			},
		},
	);
	const client = await RawClient.open(port);
	for (const reset of ['DATA', 'RSET', 'NOOP']) {
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say('RCPT TO:<a@tinbox.test>')).toMatch(/^250 /);
		expect(await client.say('RCPT TO:<b@tinbox.test>')).toMatch(/^452 4\.5\.3 Too many recipients/);
		await client.say(reset);
		expect(await client.say(reset === 'DATA' ? '.' : 'NOOP')).toMatch(/^250 /);
	}

	expect(mails.map(({envelope}) => envelope.to)).toEqual([['a@tinbox.test']]);
});

test('a connection above the limit is rejected with 421 until another one ends', async () => {
	const {port} = await startServer({maxConnections: 3});
	const clients = [1, 2, 3].map(() => RawClient.connect(port));
	for (const client of clients) {
		expect(await client.reply()).toMatch(/^220 /);
	}

	const refused = RawClient.connect(port);
	expect(await refused.reply()).toBe(
		'421 tinbox.test At most 3 SMTP connections are allowed. ' +
			'Try again later, or start the daemon with a larger --max-connections.',
	);
	await refused.closed();
	await clients[0]?.say('QUIT');
	const next = RawClient.connect(port);
	expect(await next.reply()).toMatch(/^220 /);
});

describe('when all connections are in use', () => {
	test('the longest idle session is closed for a new connection', async () => {
		const {port} = await startServer({maxConnections: 2, evictAfterMs: 0});
		const first = await RawClient.open(port);
		const second = await RawClient.open(port);
		expect(await first.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
		expect(await first.say('RCPT TO:<joe@tinbox.test>')).toMatch(/^250 /);
		const third = RawClient.connect(port);
		expect(await third.reply()).toMatch(/^220 /);
		await second.closed();
		expect(second.output).toMatch(/421 4\.4\.2 Idle connection closed to make room for other clients\r\n$/);
		expect(await first.say('DATA')).toMatch(/^354 /);
		expect(await first.say('.')).toMatch(/^250 /);
		expect(await third.say('EHLO third.test')).toMatch(/^250/);
	});

	test.each(['NOOP', 'RSET', 'EHLO again.test', 'HELP', 'VRFY joe'])(
		'a session that only sends %s is closed for a new connection',
		async command => {
			const {port} = await startServer({maxConnections: 2, evictAfterMs: 0});
			const busy = await RawClient.open(port);
			await busy.say('MAIL FROM:<app@example.test>');
			await busy.say('RSET');
			const waiting = await RawClient.open(port);
			await busy.say('MAIL FROM:<app@example.test>');
			await busy.say(command);
			await RawClient.open(port);
			await busy.closed();
			expect(await waiting.say('NOOP')).toMatch(/^250 /);
		},
	);

	test.each([
		['a few bytes of its mail is closed', 'x'.repeat(100), true],
		['a large part of its mail is kept', 'x'.repeat(2000), false],
	])('a session that sends %s', async (_outcome, part, isEnded) => {
		const received = new EventEmitter();
		const {port} = await startServer(
			{maxConnections: 2, evictAfterMs: 0},
			{
				async deliver(_envelope, _session, source) {
					await source.forEach(() => {
						received.emit('part');
					});
				},
			},
		);
		const sending = await RawClient.open(port);
		await sending.beginMail();
		const waiting = await RawClient.open(port);
		const arrived = once(received, 'part');
		sending.send(part);
		await arrived;
		await RawClient.open(port);
		await (isEnded ? sending : waiting).closed();
		expect(await (isEnded ? waiting.say('NOOP') : sending.say('\r\n.'))).toMatch(/^250 /);
	});

	test('a session that is closed in the middle of its mail frees exactly one connection', async () => {
		const failed = new EventEmitter();
		const {port} = await startServer(
			{maxConnections: 1, evictAfterMs: 0},
			{
				async deliver(_envelope, _session, source) {
					await source.forEach(() => {}).catch(() => failed.emit('mail'));
				},
			},
		);
		const sending = await RawClient.open(port);
		await sending.beginMail();
		const ended = once(failed, 'mail');
		const next = await RawClient.open(port);
		await Promise.all([ended, sending.closed()]);
		await next.beginMail();
		const last = await RawClient.open(port);
		await next.closed();
		expect(await last.say('NOOP')).toMatch(/^250 /);
	});

	test('a session whose mail is being stored is not closed', async () => {
		const stored = new EventEmitter();
		const {port} = await startServer(
			{maxConnections: 1, evictAfterMs: 0},
			{
				async deliver(_envelope, _session, source) {
					await source.forEach(() => {});
					stored.emit('begin');
					await once(stored, 'end');
				},
			},
		);
		const sending = await RawClient.open(port);
		await sending.beginMail();
		const begun = once(stored, 'begin');
		sending.send('.\r\n');
		await begun;
		expect(await RawClient.connect(port).reply()).toMatch(/^421 /);
		stored.emit('end');
		expect(await sending.reply()).toMatch(/^250 /);
	});

	test('a session of the client address with the most sessions is closed', async () => {
		const {port} = await startServer({maxConnections: 4, evictAfterMs: 0});
		const alone = await RawClient.open(port, '127.0.0.2');
		const [oldest] = [await RawClient.open(port), await RawClient.open(port), await RawClient.open(port)];
		await RawClient.open(port, '127.0.0.2');
		await oldest?.closed();
		for (let count = 0; count < 4; count++) {
			await RawClient.open(port);
		}

		expect(await alone.say('NOOP')).toMatch(/^250 /);
	});
});

test.each(['a command', 'a mail'])('a client that sends %s byte by byte is disconnected', async input => {
	const {port, mails} = await startServer({sessionDeadlineMs: 1000});
	const client = await RawClient.open(port);
	if (input === 'a mail') {
		await client.beginMail();
	}

	const drip = setInterval(() => client.send('x'), 10);
	await client.closed().finally(() => clearInterval(drip));
	expect(client.output).toMatch(/421 4\.4\.2 Session time limit exceeded\r\n$/);
	expect(mails).toEqual([]);
});

test('the session timeouts do not apply while the server stores a mail', async () => {
	const {port} = await startServer(
		{sessionDeadlineMs: 1000, idleTimeoutMs: 1000},
		{
			async deliver(_envelope, _session, source) {
				await source.forEach(() => {});
				// Waits until a later session has timed out.
				await RawClient.connect(port).closed();
			},
		},
	);
	const client = RawClient.connect(port);
	client.send('EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\nSubject: x\r\n\r\n.\r\n');
	await client.closed();
	expect(client.output).toContain('250 2.6.0 Stored');
});

test('a silent client is disconnected', async () => {
	const {port} = await startServer({idleTimeoutMs: 50});
	const client = RawClient.connect(port);
	await client.closed();
	expect(client.output).toMatch(/\r\n421 /);
});

test('mail is accepted with and without credentials if none are required', async () => {
	const {port, mails} = await startServer();
	for (const auth of [{user: 'anybody', pass: 'anything'}, undefined]) {
		const transport = createTransport({host: '127.0.0.1', port, secure: false, ...(auth && {auth})});
		await transport.sendMail({from: 'app@example.test', to: 'joe@tinbox.test', text: 'hi'});
	}

	expect(mails).toHaveLength(2);
});

test('mail is rejected without the required credentials', async () => {
	const {port} = await startServer({auth: {loginPolicy: {user: 'joe', password: 'secret'}}});
	const client = await RawClient.open(port);
	const plain = (user: string, password: string) => Buffer.from(`\0${user}\0${password}`).toString('base64');
	expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^530 5\.7\.0 /);
	expect(await client.say(`AUTH PLAIN ${plain('joe', 'guess')}`)).toBe('535 5.7.8 Invalid user name or password');
	expect(await client.say(`AUTH PLAIN ${plain('ann', 'secret')}`)).toMatch(/^535 /);
	expect(await client.say('AUTH LOGIN')).toMatch(/^334 /);
	expect(await client.say(Buffer.from('joe').toString('base64'))).toMatch(/^334 /);
	expect(await client.say(Buffer.from('secret').toString('base64'))).toMatch(/^235 /);
	expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
});
