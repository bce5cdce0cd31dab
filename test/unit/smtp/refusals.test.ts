import {describe, expect, test, vi} from 'vitest';
import {AppError} from '../../../src/domain/errors.js';
import {RawClient, startServer} from './test-server.js';

const client = {host: '127.0.0.1', helo: 'client.test'};
const ids = {session: expect.any(String)};

/** Sends lines in a session and resolves to the reported refusals. */
async function refusalsOf(lines: readonly string[], ...options: Parameters<typeof startServer>) {
	const {port, refused} = await startServer(...options);
	const session = await RawClient.open(port);
	for (const line of lines) {
		await session.say(line);
	}

	return refused;
}

const mail = ['MAIL FROM:<app@example.test>', 'RCPT TO:<joe@tinbox.test>', 'DATA'];

describe('reported refusals', () => {
	test('a recipient without an inbox is reported once', async () => {
		expect(
			await refusalsOf(['MAIL FROM:<app@example.test>', 'RCPT TO:<Nobody@tinbox.test>'.toLowerCase(), 'DATA']),
		).toEqual([
			{
				client,
				stage: 'rcpt',
				addresses: ['nobody@tinbox.test'],
				reply: '550 5.1.1 <nobody@tinbox.test>: no such inbox',
				reason: 'no such inbox',
				ids,
			},
		]);
	});

	test('an address that cannot be parsed is reported as it was written', async () => {
		expect(await refusalsOf(['MAIL FROM:<app@example.test>', 'RCPT TO:<a b@tinbox.test>'])).toMatchObject([
			{stage: 'rcpt', addresses: ['a b@tinbox.test'], reason: 'Bad recipient address syntax'},
		]);
	});

	test('a mail declared too large is reported with its sender', async () => {
		expect(await refusalsOf(['MAIL FROM:<app@example.test> SIZE=1001'], {maxMessageSize: 1000})).toMatchObject([
			{stage: 'mail', addresses: ['app@example.test'], reply: expect.stringMatching(/^552 5\.3\.4 /)},
		]);
	});

	test('a mail that is too large is reported for each of its recipients', async () => {
		const lines = [...mail.slice(0, 2), 'RCPT TO:<ann@tinbox.test>', 'DATA', `${'x'.repeat(2000)}\r\n.`];
		expect(await refusalsOf(lines, {maxMessageSize: 1000})).toMatchObject([
			{
				stage: 'data',
				addresses: ['joe@tinbox.test', 'ann@tinbox.test'],
				reply: expect.stringMatching(/^552 5\.3\.4 /),
				reason: 'message exceeds fixed maximum message size 1000',
			},
		]);
	});

	test('a mail rejected by a full disk is reported', async () => {
		const deliver = () => Promise.reject(new AppError('storage_full', 'The disk is full.'));
		expect(await refusalsOf([...mail, 'x\r\n.'], {}, {deliver})).toMatchObject([
			{
				stage: 'data',
				addresses: ['joe@tinbox.test'],
				reply: '452 4.3.1 The disk is full.',
				reason: 'The disk is full.',
			},
		]);
	});

	test('a wrong or missing login is reported without its credentials', async () => {
		const login = {user: 'app', password: 'right'};
		const lines = ['AUTH LOGIN', 'YXBw', 'd3Jvbmc=', 'MAIL FROM:<app@example.test>', ...mail.slice(1)];
		const refused = await refusalsOf(lines, {auth: {loginPolicy: login}});
		expect(refused).toMatchObject([
			{stage: 'auth', addresses: [null], reply: expect.stringMatching(/^535 /)},
			{stage: 'mail', reply: expect.stringMatching(/^530 /)},
		]);
		expect(JSON.stringify(refused)).not.toMatch(/YXBw|d3Jvbmc|wrong/);
	});

	test('input that is not SMTP is reported', async () => {
		expect(await refusalsOf(['GET / HTTP/1.1'])).toMatchObject([{stage: 'connect', addresses: [null], client}]);
	});

	test('connections beyond the limit are reported', async () => {
		const {port, refused} = await startServer({maxConnections: 1});
		await RawClient.open(port);
		await RawClient.connect(port).closed();
		expect(refused).toMatchObject([
			{
				client: {host: '127.0.0.1', helo: null},
				stage: 'connect',
				addresses: [null],
				reply: expect.stringMatching(/^421 /),
				reason: expect.stringMatching(/^At most 1 SMTP connections/),
			},
		]);
	});

	test.each<{how: 'end' | 'resetAndDestroy'}>([{how: 'end'}, {how: 'resetAndDestroy'}])(
		'a client that disconnects during its mail is reported: $how',
		async ({how}) => {
			const {port, refused} = await startServer(
				{},
				{deliver: async (_envelope, _session, source) => source.forEach(() => {})},
			);
			const session = await RawClient.open(port);
			await session.beginMail();
			session.send('Subject: x\r\n');
			await session.flush();
			session.socket[how]();
			await vi.waitFor(() =>
				expect(refused).toEqual([
					{
						client,
						stage: 'data',
						addresses: ['joe@tinbox.test'],
						reply: null,
						reason: 'the client disconnected before the end of its mail',
						ids,
					},
				]),
			);
		},
	);
});

describe('events that are not reported as refusals', () => {
	test('accepted mail and sessions that end normally are not reported', async () => {
		expect(await refusalsOf([...mail, 'x\r\n.', 'RSET', 'QUIT'])).toEqual([]);
	});

	test('silent sessions that time out are not reported', async () => {
		const {port, refused} = await startServer({idleTimeoutMs: 50});
		const session = await RawClient.open(port);
		await session.closed();
		expect(session.output).toContain('421 ');
		expect(refused).toEqual([]);
	});

	test('sessions without progress that time out are not reported', async () => {
		const {port, refused} = await startServer({sessionDeadlineMs: 50});
		const session = await RawClient.open(port);
		await session.closed();
		expect(session.output).toContain('Session time limit exceeded');
		expect(refused).toEqual([]);
	});

	test('sessions that end with the server are not reported', async () => {
		const {port, refused, server} = await startServer();
		const session = await RawClient.open(port);
		await server.stop();
		await session.closed();
		expect(refused).toEqual([]);
	});
});
