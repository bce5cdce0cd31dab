import type {Socket} from 'node:net';
import {expect, onTestFinished, test, vi} from 'vitest';
import {startRelay} from '../../helpers/wrong-relays.js';
import {RawClient, startServer, type TestServer} from './test-server.js';

/** Number of clients that disconnect in each test. */
const maxConnections = 6;

const envelope = 'EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\n';

/** Bytes that a client sends before it disconnects. None of them ends a mail. */
const states: Readonly<Record<string, string>> = {
	'before its first command': '',
	'after one character': 'E',
	'in the middle of a command': 'EHLO x',
	'after EHLO': 'EHLO x\r\n',
	'after HELO': 'HELO x\r\n',
	'after a repeated EHLO': 'EHLO x\r\nEHLO x\r\n',
	'after NOOP': 'NOOP\r\n',
	'after RSET': 'RSET\r\n',
	'after an unknown command': 'GARBAGE\r\n',
	'after zeros': '\0'.repeat(3000),
	'during AUTH PLAIN': 'EHLO x\r\nAUTH PLAIN\r\n',
	'during AUTH LOGIN': 'EHLO x\r\nAUTH LOGIN\r\n',
	'between user name and password': 'EHLO x\r\nAUTH LOGIN\r\nam9l\r\n',
	'after QUIT': 'QUIT\r\n',
	'after EHLO and QUIT': 'EHLO x\r\nQUIT\r\n',
	'after MAIL': 'EHLO x\r\nMAIL FROM:<a@example.test>\r\n',
	'after a rejected recipient': 'EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<nobody@tinbox.test>\r\n',
	'after RCPT': envelope,
	'after RCPT and RSET': `${envelope}RSET\r\n`,
	'in the middle of DATA': `${envelope}DATA`,
	'after DATA': `${envelope}DATA\r\n`,
	'in a header field': `${envelope}DATA\r\nSubject: x`,
	'in the middle of a mail': `${envelope}DATA\r\nSubject: x\r\n\r\nhel`,
	'after a line of a mail': `${envelope}DATA\r\nSubject: x\r\n\r\nhello\r\n`,
	'after the last dot': `${envelope}DATA\r\nSubject: x\r\n.`,
	'before the last line feed': `${envelope}DATA\r\nSubject: x\r\n.\r`,
	'after a stuffed dot': `${envelope}DATA\r\nSubject: x\r\n..`,
	'in the middle of a large mail': `${envelope}DATA\r\nSubject: x\r\n${'a long line of a large mail\r\n'.repeat(20_000)}`,
};

const ways: Readonly<Record<string, (socket: Socket) => void>> = {
	resets: socket => socket.resetAndDestroy(),
	ends: socket => socket.end(),
	destroys: socket => socket.destroy(),
};

/** Disconnects one client before the server has read its bytes, and one after. */
async function disconnect(port: number, sent: string, close: (socket: Socket) => void): Promise<void> {
	const early = RawClient.connect(port);
	early.send(sent);
	close(early.socket);
	const late = await RawClient.open(port);
	late.send(sent);
	await late.flush();
	close(late.socket);
	await Promise.all([early.closed(), late.closed()]);
}

/** Expects that all connections are free, that only the next mail is stored, and that no error was logged. */
async function expectNothingLeft({port, mails, logged}: TestServer): Promise<void> {
	const next = await vi.waitFor(async () => {
		const clients = Array.from({length: maxConnections}, () => RawClient.connect(port));
		const greetings = await Promise.all(clients.map(async client => client.reply()));
		for (const client of clients.slice(1)) {
			client.socket.destroy();
		}

		expect(greetings).toEqual(Array(maxConnections).fill('220 tinbox.test ESMTP'));
		return clients[0];
	});
	await next?.say('EHLO client.test');
	await next?.beginMail();
	expect(await next?.say('Subject: next\r\n\r\n.')).toMatch(/^250 /);
	expect(mails.map(({source}) => source)).toEqual(['Subject: next\r\n\r\n']);
	expect(logged.filter(({level}) => level === 'error')).toEqual([]);
}

test.each(Object.keys(ways).flatMap(how => Object.keys(states).map(state => ({how, state}))))(
	'a client that $how the connection $state leaves no mail or used connection',
	async ({how, state}) => {
		const running = await startServer({maxMessageSize: 1_000_000, maxConnections});
		const close = ways[how] ?? (() => {});
		await Promise.all([1, 2, 3].map(async () => disconnect(running.port, states[state] ?? '', close)));
		await expectNothingLeft(running);
	},
);

test('the disconnect check detects a relay that completes the mail of a disconnected client', async () => {
	const running = await startServer({maxMessageSize: 1_000_000, maxConnections});
	const relay = await startRelay({host: '127.0.0.1', port: running.port}, 'completing');
	onTestFinished(relay.close);
	await disconnect(relay.port, states['in the middle of a mail'] ?? '', socket => socket.destroy());
	await vi.waitFor(() => expect(running.mails).not.toEqual([]));
	await expect(expectNothingLeft(running)).rejects.toThrow('to deeply equal');
});

test('a mail is stored if its client disconnects after the last byte', async () => {
	const {port, mails} = await startServer();
	const client = await RawClient.open(port);
	await client.beginMail();
	client.send('Subject: x\r\n\r\n.\r\n');
	client.socket.end();
	await vi.waitFor(() => expect(mails).toHaveLength(1));
});

test('stopping the SMTP server ends idle sessions with 421 and accepts no new ones', async () => {
	const {server, port} = await startServer({stopDeadlineMs: 60_000});
	const idle = await RawClient.open(port);
	await idle.say('MAIL FROM:<a@example.test>');
	await server.stop();
	await idle.closed();
	expect(idle.output).toMatch(/\r\n421 4\.4\.2 Server shutting down\r\n$/);
	const late = RawClient.connect(port);
	await late.closed();
	expect(late.output).toBe('');
});

test('stopping the SMTP server waits for the replies to unfinished mails', async () => {
	let store = () => {};
	const isStored = new Promise<void>(resolve => {
		store = resolve;
	});
	const {server, port} = await startServer(
		{stopDeadlineMs: 60_000},
		{
			async deliver(_envelope, _session, source) {
				await source.forEach(() => {});
				await isStored;
			},
		},
	);
	const sending = await RawClient.open(port);
	const waiting = await RawClient.open(port);
	await sending.beginMail();
	await waiting.beginMail();
	waiting.send('Subject: x\r\n\r\n.\r\n');
	sending.send('Subject: y\r\n');
	await sending.flush();
	const stopped = server.stop();
	store();
	sending.send('\r\n.\r\n');
	await stopped;
	await Promise.all([sending.closed(), waiting.closed()]);
	for (const {output} of [sending, waiting]) {
		expect(output).toMatch(/\r\n250 2\.6\.0 Stored\r\n421 4\.4\.2 Server shutting down\r\n$/);
	}
});

test('stopping the SMTP server aborts an endless mail after a timeout', async () => {
	const {server, port} = await startServer({stopDeadlineMs: 50});
	const client = await RawClient.open(port);
	await client.beginMail();
	client.send('Subject: never ends\r\n');
	await server.stop();
	await client.closed();
	expect(client.output).toMatch(/\r\n421 4\.4\.2 Server shutting down\r\n$/);
});
