import {expect, test, vi} from 'vitest';
import {RawClient, startServer} from './smtp-test.js';

/** How far a client gets before it goes away. */
const states: ReadonlyArray<{readonly state: string; readonly sent: string}> = [
	{state: 'before its first word', sent: ''},
	{state: 'in the middle of a command', sent: 'EHL'},
	{state: 'after EHLO', sent: 'EHLO x\r\n'},
	{state: 'during AUTH', sent: 'EHLO x\r\nAUTH LOGIN\r\n'},
	{state: 'after MAIL', sent: 'EHLO x\r\nMAIL FROM:<a@example.test>\r\n'},
	{state: 'after RCPT', sent: 'EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\n'},
	{
		state: 'in the middle of a mail',
		sent: 'EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\nSubject: x\r\n\r\nhel',
	},
	{
		state: 'in front of the last line end',
		sent: 'EHLO x\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\nSubject: x\r\n\r\nhel\r\n.',
	},
	{state: 'after QUIT', sent: 'EHLO x\r\nQUIT\r\n'},
];

test.each(
	states.flatMap(state => [
		{...state, how: 'resets'},
		{...state, how: 'ends'},
	]),
)('a client that $how the connection $state leaves nothing behind', async ({sent, how}) => {
	const {port, mails, logged} = await startServer();
	const clients = Array.from({length: 5}, () => RawClient.connect(port));
	for (const client of clients) {
		client.send(sent);
		await client.flushed();
		if (how === 'resets') {
			client.socket.resetAndDestroy();
		} else {
			client.socket.end();
		}
	}

	await Promise.all(clients.map(client => client.ended()));
	const next = await RawClient.greeted(port);
	await next.beginMail();
	expect(await next.say('Subject: next\r\n\r\n.')).toMatch(/^250 /);
	expect(mails.map(({source}) => source)).toEqual(['Subject: next\r\n\r\n']);
	expect(logged.filter(({level}) => level === 'error')).toEqual([]);
});

test('a mail whose client leaves after its last byte is kept', async () => {
	const {port, mails} = await startServer();
	const client = await RawClient.greeted(port);
	await client.beginMail();
	client.send('Subject: x\r\n\r\n.\r\n');
	client.socket.end();
	await vi.waitFor(() => expect(mails).toHaveLength(1));
});

test('stopping ends idle sessions with 421 and takes no new ones', async () => {
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

test('stopping waits until mail that is on its way has its answer', async () => {
	let keep = () => {};
	const kept = new Promise<void>(resolve => {
		keep = resolve;
	});
	const {server, port} = await startServer(
		{stopDeadlineMs: 60_000},
		{
			async deliver(_envelope, source) {
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

test('stopping does not wait for ever', async () => {
	const {server, port} = await startServer({stopDeadlineMs: 50});
	const client = await RawClient.greeted(port);
	await client.beginMail();
	client.send('Subject: never ends\r\n');
	await server.stop();
	await client.ended();
	expect(client.heard).toMatch(/\r\n421 4\.4\.2 Server shutting down\r\n$/);
});
