import {EventEmitter, once} from 'node:events';
import {createTransport} from 'nodemailer';
import {describe, expect, test, vi} from 'vitest';
import {RawClient, startServer} from './smtp-test.js';

test('a mail declared too large is rejected before it is sent', async () => {
	const {port} = await startServer({maxMessageSize: 1000});
	const client = await RawClient.greeted(port);
	expect(await client.say('MAIL FROM:<app@example.test> SIZE=1001')).toMatch(/^552 5\.3\.4 /);
	expect(await client.say('MAIL FROM:<app@example.test> SIZE=1000')).toMatch(/^250 /);
});

test('a mail that turns out too large is rejected, and its delivery is cancelled at once', async () => {
	const failures: unknown[] = [];
	const {port} = await startServer(
		{maxMessageSize: 1000},
		{
			async deliver(_envelope, _session, source) {
				await source.forEach(() => {}).catch(error => failures.push(error));
			},
		},
	);
	const client = await RawClient.greeted(port);
	await client.beginMail();
	client.send('x'.repeat(3000));
	await vi.waitFor(() => expect(failures).toEqual([expect.objectContaining({code: 'too_large'})]));
	expect(client.heard).not.toContain('552');
	expect(await client.say('\r\n.')).toMatch(/^552 5\.3\.4 /);
	expect(await client.say('NOOP')).toMatch(/^250 /);
});

test('a mail of exactly the maximum size is accepted, and one byte more is not', async () => {
	const {port, mails} = await startServer({maxMessageSize: 100});
	const client = await RawClient.greeted(port);
	await client.beginMail();
	expect(await client.say(`${'x'.repeat(98)}\r\n.`)).toMatch(/^250 /);
	await client.beginMail();
	expect(await client.say(`${'x'.repeat(99)}\r\n.`)).toMatch(/^552 /);
	expect(mails.map(({source}) => source.length)).toEqual([100]);
});

test('one recipient too many is deferred, and the others get the mail', async () => {
	const {port, mails} = await startServer({maxRecipients: 2});
	const client = await RawClient.greeted(port);
	await client.say('MAIL FROM:<app@example.test>');
	await client.say('RCPT TO:<a@tinbox.test>');
	await client.say('RCPT TO:<b@tinbox.test>');
	expect(await client.say('RCPT TO:<c@tinbox.test>')).toMatch(/^452 4\.5\.3 /);
	await client.say('DATA');
	expect(await client.say('.')).toMatch(/^250 /);
	expect(mails[0]?.envelope.to).toEqual(['a@tinbox.test', 'b@tinbox.test']);
});

test('a recipient that must be sent in another mail is deferred, and each mail is a new one', async () => {
	const asked: object[] = [];
	const {port, mails} = await startServer(
		{},
		{
			async acceptRecipient(_address, mail) {
				asked.push(mail);
				return asked.filter(other => other === mail).length === 1 || 'later';
			},
		},
	);
	const client = await RawClient.greeted(port);
	for (const reset of ['DATA', 'RSET', 'NOOP']) {
		await client.say('MAIL FROM:<app@example.test>');
		expect(await client.say('RCPT TO:<a@tinbox.test>')).toMatch(/^250 /);
		expect(await client.say('RCPT TO:<b@tinbox.test>')).toMatch(/^452 4\.5\.3 Too many recipients/);
		await client.say(reset);
		expect(await client.say(reset === 'DATA' ? '.' : 'NOOP')).toMatch(/^250 /);
	}

	expect(mails.map(({envelope}) => envelope.to)).toEqual([['a@tinbox.test']]);
});

test('connections up to the limit are served, and the next is told to try again', async () => {
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
	await refused.ended();
	await clients[0]?.say('QUIT');
	const next = RawClient.connect(port);
	expect(await next.reply()).toMatch(/^220 /);
});

describe('when all connections are in use', () => {
	test('the longest idle session is closed for a new connection', async () => {
		const {port} = await startServer({maxConnections: 2, evictAfterMs: 0});
		const first = await RawClient.greeted(port);
		const second = await RawClient.greeted(port);
		expect(await first.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
		expect(await first.say('RCPT TO:<joe@tinbox.test>')).toMatch(/^250 /);
		const third = RawClient.connect(port);
		expect(await third.reply()).toMatch(/^220 /);
		await second.ended();
		expect(second.heard).toMatch(/421 4\.4\.2 Idle connection closed to make room for other clients\r\n$/);
		expect(await first.say('DATA')).toMatch(/^354 /);
		expect(await first.say('.')).toMatch(/^250 /);
		expect(await third.say('EHLO third.test')).toMatch(/^250/);
	});

	test.each(['NOOP', 'RSET', 'EHLO again.test', 'HELP', 'VRFY joe'])(
		'a session that only sends %s is closed for a new connection',
		async command => {
			const {port} = await startServer({maxConnections: 2, evictAfterMs: 0});
			const busy = await RawClient.greeted(port);
			await busy.say('MAIL FROM:<app@example.test>');
			await busy.say('RSET');
			const waiting = await RawClient.greeted(port);
			await busy.say('MAIL FROM:<app@example.test>');
			await busy.say(command);
			await RawClient.greeted(port);
			await busy.ended();
			expect(await waiting.say('NOOP')).toMatch(/^250 /);
		},
	);

	test.each([
		['a few bytes of its mail makes room', 'x'.repeat(100), true],
		['a part of its mail stays', 'x'.repeat(2000), false],
	])('one that sends %s', async (_title, part, isEnded) => {
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
		const sending = await RawClient.greeted(port);
		await sending.beginMail();
		const waiting = await RawClient.greeted(port);
		const arrived = once(received, 'part');
		sending.send(part);
		await arrived;
		await RawClient.greeted(port);
		await (isEnded ? sending : waiting).ended();
		expect(await (isEnded ? waiting.say('NOOP') : sending.say('\r\n.'))).toMatch(/^250 /);
	});

	test('a session that is ended in the middle of its mail frees one connection', async () => {
		const failed = new EventEmitter();
		const {port} = await startServer(
			{maxConnections: 1, evictAfterMs: 0},
			{
				async deliver(_envelope, _session, source) {
					await source.forEach(() => {}).catch(() => failed.emit('mail'));
				},
			},
		);
		const sending = await RawClient.greeted(port);
		await sending.beginMail();
		const ended = once(failed, 'mail');
		const next = await RawClient.greeted(port);
		await Promise.all([ended, sending.ended()]);
		await next.beginMail();
		const last = await RawClient.greeted(port);
		await next.ended();
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
		const sending = await RawClient.greeted(port);
		await sending.beginMail();
		const begun = once(stored, 'begin');
		sending.send('.\r\n');
		await begun;
		expect(await RawClient.connect(port).reply()).toMatch(/^421 /);
		stored.emit('end');
		expect(await sending.reply()).toMatch(/^250 /);
	});

	test('the address with the most sessions loses one, and takes none from others', async () => {
		const {port} = await startServer({maxConnections: 4, evictAfterMs: 0});
		const alone = await RawClient.greeted(port, '127.0.0.2');
		const [oldest] = [await RawClient.greeted(port), await RawClient.greeted(port), await RawClient.greeted(port)];
		await RawClient.greeted(port, '127.0.0.2');
		await oldest?.ended();
		for (let count = 0; count < 4; count++) {
			await RawClient.greeted(port);
		}

		expect(await alone.say('NOOP')).toMatch(/^250 /);
	});
});

test.each(['a command', 'a mail'])('a client that sends %s byte by byte is disconnected', async what => {
	const {port, mails} = await startServer({sessionDeadlineMs: 1000});
	const client = await RawClient.greeted(port);
	if (what === 'a mail') {
		await client.beginMail();
	}

	const drip = setInterval(() => client.send('x'), 10);
	await client.ended().finally(() => clearInterval(drip));
	expect(client.heard).toMatch(/421 4\.4\.2 Session time limit exceeded\r\n$/);
	expect(mails).toEqual([]);
});

test('a client that waits for the server to store its mail is not disconnected', async () => {
	const {port} = await startServer(
		{sessionDeadlineMs: 1000, idleTimeoutMs: 1000},
		{
			async deliver(_envelope, _session, source) {
				await source.forEach(() => {});
				// One that came later is let go of first.
				await RawClient.connect(port).ended();
			},
		},
	);
	const client = RawClient.connect(port);
	client.send('EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\nSubject: x\r\n\r\n.\r\n');
	await client.ended();
	expect(client.heard).toContain('250 2.6.0 Stored');
});

test('a silent client is disconnected', async () => {
	const {port} = await startServer({idleTimeoutMs: 50});
	const client = RawClient.connect(port);
	await client.ended();
	expect(client.heard).toMatch(/\r\n421 /);
});

test('mail is accepted with and without credentials if none are required', async () => {
	const {port, mails} = await startServer();
	for (const auth of [{user: 'anybody', pass: 'anything'}, undefined]) {
		const transport = createTransport({host: '127.0.0.1', port, secure: false, ...(auth && {auth})});
		await transport.sendMail({from: 'app@example.test', to: 'joe@tinbox.test', text: 'hi'});
	}

	expect(mails).toHaveLength(2);
});

test('mail is rejected without the right credentials if some are required', async () => {
	const {port} = await startServer({auth: {loginPolicy: {user: 'joe', password: 'secret'}}});
	const client = await RawClient.greeted(port);
	const plain = (user: string, password: string) => Buffer.from(`\0${user}\0${password}`).toString('base64');
	expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^530 5\.7\.0 /);
	expect(await client.say(`AUTH PLAIN ${plain('joe', 'guess')}`)).toBe('535 5.7.8 Invalid user name or password');
	expect(await client.say(`AUTH PLAIN ${plain('ann', 'secret')}`)).toMatch(/^535 /);
	expect(await client.say('AUTH LOGIN')).toMatch(/^334 /);
	expect(await client.say(Buffer.from('joe').toString('base64'))).toMatch(/^334 /);
	expect(await client.say(Buffer.from('secret').toString('base64'))).toMatch(/^235 /);
	expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
});
