import type {Socket} from 'node:net';
import {expect, onTestFinished, test, vi} from 'vitest';
import {startRelay} from '../../helpers/wrong-relays.js';
import {RawClient, type Running, startServer} from './smtp-test.js';

/** As many as leave. */
const maxConnections = 6;

const envelope = 'EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\n';

/** How far a client gets before it goes away. None of them ends a mail. */
const states: Readonly<Record<string, string>> = {
	'before its first word': '',
	'after one character': 'E',
	'in the middle of a command': 'EHLO x',
	'after EHLO': 'EHLO x\r\n',
	'after HELO': 'HELO x\r\n',
	'after EHLO and EHLO': 'EHLO x\r\nEHLO x\r\n',
	'after NOOP': 'NOOP\r\n',
	'after RSET': 'RSET\r\n',
	'after a command that is none': 'GARBAGE\r\n',
	'after zeros': '\0'.repeat(3000),
	'during AUTH PLAIN': 'EHLO x\r\nAUTH PLAIN\r\n',
	'during AUTH LOGIN': 'EHLO x\r\nAUTH LOGIN\r\n',
	'between name and password': 'EHLO x\r\nAUTH LOGIN\r\nam9l\r\n',
	'after QUIT': 'QUIT\r\n',
	'after EHLO and QUIT': 'EHLO x\r\nQUIT\r\n',
	'after MAIL': 'EHLO x\r\nMAIL FROM:<a@example.test>\r\n',
	'after a recipient that is refused': 'EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<nobody@tinbox.test>\r\n',
	'after RCPT': envelope,
	'after RCPT and RSET': `${envelope}RSET\r\n`,
	'in the middle of DATA': `${envelope}DATA`,
	'after DATA': `${envelope}DATA\r\n`,
	'in a header field': `${envelope}DATA\r\nSubject: x`,
	'in the middle of a mail': `${envelope}DATA\r\nSubject: x\r\n\r\nhel`,
	'after a line of a mail': `${envelope}DATA\r\nSubject: x\r\n\r\nhello\r\n`,
	'after the last dot': `${envelope}DATA\r\nSubject: x\r\n.`,
	'in front of the last line feed': `${envelope}DATA\r\nSubject: x\r\n.\r`,
	'after a stuffed dot': `${envelope}DATA\r\nSubject: x\r\n..`,
	'in the middle of a large mail': `${envelope}DATA\r\nSubject: x\r\n${'a long line of a large mail\r\n'.repeat(20_000)}`,
};

const ways: Readonly<Record<string, (socket: Socket) => void>> = {
	resets: socket => socket.resetAndDestroy(),
	ends: socket => socket.end(),
	destroys: socket => socket.destroy(),
};

/** Some leave before the server has read what they said, and some after. */
async function leave(port: number, sent: string, go: (socket: Socket) => void): Promise<void> {
	const early = RawClient.connect(port);
	early.send(sent);
	go(early.socket);
	const late = await RawClient.greeted(port);
	late.send(sent);
	await late.flushed();
	go(late.socket);
	await Promise.all([early.ended(), late.ended()]);
}

/** As many connections are free as before, and the next mail is the only one. */
async function expectNothingLeft({port, mails, logged}: Running): Promise<void> {
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
	'a client that $how the connection $state leaves nothing behind',
	async ({how, state}) => {
		const running = await startServer({maxMessageSize: 1_000_000, maxConnections});
		const go = ways[how] ?? (() => {});
		await Promise.all([1, 2, 3].map(async () => leave(running.port, states[state] ?? '', go)));
		await expectNothingLeft(running);
	},
);

test('this check finds a relay that ends the mail for a client that left', async () => {
	const running = await startServer({maxMessageSize: 1_000_000, maxConnections});
	const relay = await startRelay({host: '127.0.0.1', port: running.port}, 'completing');
	onTestFinished(relay.close);
	await leave(relay.port, states['in the middle of a mail'] ?? '', socket => socket.destroy());
	await vi.waitFor(() => expect(running.mails).not.toEqual([]));
	await expect(expectNothingLeft(running)).rejects.toThrow('to deeply equal');
});

test('a mail whose client disconnects after its last byte is stored', async () => {
	const {port, mails} = await startServer();
	const client = await RawClient.greeted(port);
	await client.beginMail();
	client.send('Subject: x\r\n\r\n.\r\n');
	client.socket.end();
	await vi.waitFor(() => expect(mails).toHaveLength(1));
});

test('a stop ends idle sessions with 421 and accepts no new ones', async () => {
	const {server, port} = await startServer({stopDeadlineMs: 60_000});
	const idle = await RawClient.greeted(port);
	await idle.say('MAIL FROM:<a@example.test>');
	await server.stop();
	await idle.ended();
	expect(idle.heard).toMatch(/\r\n421 4\.4\.2 Server shutting down\r\n$/);
	const late = RawClient.connect(port);
	await late.ended();
	expect(late.heard).toBe('');
});

test('a stop waits until mail under way was answered', async () => {
	let keep = () => {};
	const kept = new Promise<void>(resolve => {
		keep = resolve;
	});
	const {server, port} = await startServer(
		{stopDeadlineMs: 60_000},
		{
			async deliver(_envelope, _session, source) {
				await source.forEach(() => {});
				await kept;
			},
		},
	);
	const sending = await RawClient.greeted(port);
	const waiting = await RawClient.greeted(port);
	await sending.beginMail();
	await waiting.beginMail();
	waiting.send('Subject: x\r\n\r\n.\r\n');
	sending.send('Subject: y\r\n');
	await sending.flushed();
	const stopped = server.stop();
	keep();
	sending.send('\r\n.\r\n');
	await stopped;
	await Promise.all([sending.ended(), waiting.ended()]);
	for (const {heard} of [sending, waiting]) {
		expect(heard).toMatch(/\r\n250 2\.6\.0 Stored\r\n421 4\.4\.2 Server shutting down\r\n$/);
	}
});

test('a stop does not wait forever', async () => {
	const {server, port} = await startServer({stopDeadlineMs: 50});
	const client = await RawClient.greeted(port);
	await client.beginMail();
	client.send('Subject: never ends\r\n');
	await server.stop();
	await client.ended();
	expect(client.heard).toMatch(/\r\n421 4\.4\.2 Server shutting down\r\n$/);
});
