import {type AddressInfo, createServer, type Socket} from 'node:net';
import {SMTPServer} from 'smtp-server';
import {expect, onTestFinished, test, vi} from 'vitest';
import {AppError} from '../../../src/domain/errors.js';
import {createTargetPolicy} from '../../../src/domain/webhooks/target.js';
import {HostResolver} from '../../../src/lib/io/resolver.js';
import {createMailSender} from '../../../src/outbound/mail-sender.js';
import {LoopWatch} from '../../slow/proof/loop-watch.js';

type ReceivedMail = {from: string; to: string[]; source: string; helo: string; isSecure: boolean};

/** Starts an SMTP server that records mail and rejects the recipient "nobody". */
async function startServer(secure = false) {
	const received: ReceivedMail[] = [];
	const server = new SMTPServer({
		secure,
		authOptional: true,
		logger: false,
		onRcptTo: ({address}, _session, done) =>
			done(address.startsWith('nobody@') ? Object.assign(new Error('5.1.1 No such user'), {responseCode: 550}) : null),
		onData(stream, {envelope, hostNameAppearsAs: helo, secure: isSecure}, done) {
			const chunks: Buffer[] = [];
			stream.on('data', chunk => chunks.push(chunk));
			stream.on('end', () => {
				const from = envelope.mailFrom ? envelope.mailFrom.address : 'nothing';
				const to = envelope.rcptTo.map(({address}) => address);
				received.push({
					from,
					to,
					source: String(Buffer.concat(chunks)),
					helo: String(helo),
					isSecure: Boolean(isSecure),
				});
				done();
			});
		},
	});
	const listening = await new Promise<ReturnType<SMTPServer['listen']>>(resolve => {
		const listener = server.listen(0, '127.0.0.1', () => resolve(listener));
	});
	onTestFinished(async () => new Promise<void>(resolve => server.close(() => resolve())));
	const address = listening.address();
	return {received, port: typeof address === 'object' ? (address?.port ?? 0) : 0};
}

function createSender(allowed: readonly string[] = [], localAllowed = true, timeoutMs = 15_000, maxConnections = 64) {
	const allows = createTargetPolicy({localAllowed, othersAllowed: false, allowed});
	return createMailSender({allows, names: new HostResolver(), host: 'tinbox.test', maxConnections, timeoutMs});
}

const mail = {userId: 'ann', recipient: 'app@shop.test', source: Buffer.from('Subject: x\r\n\r\n.\r\nGrüße\r\n')};

test.each([false, true])('a mail with an empty sender is sent unchanged (implicit TLS: %s)', async secure => {
	const {received, port} = await startServer(secure);
	await createSender()({...mail, to: `${secure ? 'smtps' : 'smtp'}://localhost:${port}`});
	expect(received).toEqual([
		{from: '', to: ['app@shop.test'], source: String(mail.source), helo: 'tinbox.test', isSecure: true},
	]);
});

test('a rejection by the server is reported with its reply', async () => {
	const {port} = await startServer();
	const to = `smtp://127.0.0.1:${port}`;
	await expect(createSender()({...mail, recipient: 'nobody@shop.test', to})).rejects.toMatchObject({
		code: 'undelivered',
		message: expect.stringMatching(`^${to} did not accept the mail: .*550 5\\.1\\.1 No such user\\.$`),
	});
});

test('an unreachable or unresponsive server is reported', async () => {
	const silent = createServer(() => {});
	await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
	const address = silent.address();
	const port = typeof address === 'object' ? address?.port : 0;
	await expect(createSender([], true, 200)({...mail, to: `smtp://127.0.0.1:${port}`})).rejects.toMatchObject({
		code: 'undelivered',
	});
	await new Promise<unknown>(resolve => silent.close(resolve));
	await expect(createSender()({...mail, to: `smtp://127.0.0.1:${port}`})).rejects.toMatchObject({
		code: 'undelivered',
		message: expect.stringContaining('ECONNREFUSED'),
	});
});

test.each([
	'smtp://192.0.2.1',
	'smtp://[2001:db8::1]:25',
	'smtp://8.8.8.8',
	'smtp://169.254.169.254',
	'smtp://0x7f000001:25',
])('mail to %s is rejected unless the operator allows it', async to => {
	await expect(createSender([], false)({...mail, to})).rejects.toMatchObject({code: 'invalid_input'});
});

test('a server whose greeting never ends is cut off by the timeout', {timeout: 20_000}, async () => {
	const ended: Promise<unknown>[] = [];
	const dripping = createServer(socket => {
		const timer = setInterval(() => socket.write('220-x\r\n'), 20);
		socket.on('error', () => {});
		ended.push(new Promise(resolve => socket.on('close', () => resolve(clearInterval(timer)))));
	});
	await new Promise<void>(resolve => dripping.listen(0, '127.0.0.1', resolve));
	const address = dripping.address();
	const to = `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
	await expect(createSender([], true, 300)({...mail, to})).rejects.toMatchObject({
		code: 'undelivered',
		message: `${to} did not accept the mail: timeout.`,
	});
	await Promise.all(ended);
	await new Promise<unknown>(resolve => dripping.close(resolve));
});

test('mail to a host that the operator allows is sent', async () => {
	const {received, port} = await startServer();
	await createSender(['127.0.0.1'], false)({...mail, to: `smtp://127.0.0.1:${port}`});
	expect(received).toHaveLength(1);
});

test.each([
	['empty lines', '\r\n'],
	['replies without end', '220-more\r\n'],
	['an endless line', 'x'],
])('a server that sends %s fails the mail and does not block the event loop', async (_, piece) => {
	const server = createServer(socket => {
		const chunk = piece.repeat(16 * 1024);
		const pump = () => {
			while (socket.write(chunk)) {}
		};
		socket.on('drain', pump).on('error', () => {});
		pump();
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(async () => new Promise<void>(resolve => server.close(() => resolve())));
	const address = server.address();
	const to = `smtp://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
	const loop = new LoopWatch();
	onTestFinished(() => loop.stop());
	const failures = Array.from({length: 2}, async () =>
		createSender([], true, 50_000)({...mail, to}).catch(error => String(error)),
	);
	expect(new Set(await Promise.all(failures))).toEqual(
		new Set([expect.stringContaining('the server sent more than 64 KiB')]),
	);
	expect(loop.take().longestMs).toBeLessThan(250);
});

/** Starts a server that writes `greeting` and answers each line with `reply`. Returns its URL and its open connections. */
async function startScripted(greeting: string, reply = '') {
	const sockets = new Set<Socket>();
	const server = createServer(socket => {
		sockets.add(socket);
		socket.on('error', () => {}).on('close', () => sockets.delete(socket));
		socket.write(greeting);
		socket.on('data', () => socket.write(reply));
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(async () => {
		for (const socket of sockets) {
			socket.destroy();
		}

		await new Promise<unknown>(resolve => server.close(resolve));
	});
	return {to: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets};
}

test.each([
	['-ERR secret banner\r\n', '', 'the server does not speak SMTP'],
	['HTTP/1.1 400 Bad Request\r\nX: secret\r\n\r\n', '', 'the server does not speak SMTP'],
	['554 secret internal name\r\n', '', 'the server did not greet but replied 554'],
	['220 hello\r\n', 'secret\r\n', 'the server does not speak SMTP'],
	['220 hello\r\n', '550-5.7.1 Not\x1b[31m\r\n550 5.7.1 welcome.\r\n', '550 5.7.1 Not 5.7.1 welcome'],
])('a mail refused with %j and %j is reported as: %3$s', async (greeting, reply, reason) => {
	const {to} = await startScripted(greeting, reply);
	await expect(createSender([], true, 3000)({...mail, to})).rejects.toMatchObject({
		code: 'undelivered',
		message: `${to} did not accept the mail: ${reason}.`,
	});
});

test('a user who mails silent servers leaves connections for other users, and further mails fail with the limit', async () => {
	const {to, sockets} = await startScripted('');
	const {received, port} = await startServer();
	const send = createSender([], true, 4000, 8);
	const failures = Array.from({length: 40}, async () => {
		const error: unknown = await send({...mail, to}).catch((thrown: unknown) => thrown);
		return error instanceof AppError ? error : undefined;
	});
	await vi.waitFor(() => expect(sockets.size).toBe(4));
	await send({...mail, userId: 'bob', to: `smtp://127.0.0.1:${port}`});
	expect(received).toHaveLength(1);
	expect(sockets.size).toBe(4);
	const codes = (await Promise.all(failures)).map(error => error?.code);
	// A few more may start at the moment when the first ones time out.
	expect(codes.filter(code => code === 'limit_reached').length).toBeGreaterThanOrEqual(32);
	expect(codes.slice(0, 4)).toEqual(Array(4).fill('undelivered'));
	expect((await failures.at(-1))?.message).toBe(
		'All users together can have at most 8 connections to other mail servers, and a user at most half of the free ones. None became free within 4 s. Send fewer of these mails at a time.',
	);
});

test('a connection counts until it is closed, also if the server does not reply to QUIT', {
	timeout: 20_000,
}, async () => {
	let [open, most] = [0, 0];
	const server = createServer(socket => {
		most = Math.max(most, ++open);
		socket.on('close', () => open--).on('error', () => {});
		socket.write('220 x\r\n');
		let isData = false;
		socket.setEncoding('latin1').on('data', text => {
			if (isData ? String(text).endsWith('.\r\n') : !String(text).startsWith('QUIT')) {
				isData = String(text).startsWith('DATA');
				socket.write(isData ? '354 go on\r\n' : '250 ok\r\n');
			}
		});
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(() => void server.close());
	const send = createSender([], true, 15_000, 4);
	const to = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`;
	await Promise.all(
		Array.from({length: 8}, async () => send({...mail, source: Buffer.from('Subject: x\r\n\r\nHi\r\n'), to})),
	);
	expect(most).toBeLessThanOrEqual(4);
	await vi.waitFor(() => expect(open).toBe(0), {timeout: 5000});
});
