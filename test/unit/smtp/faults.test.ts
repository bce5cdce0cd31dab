import {createTransport} from 'nodemailer';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import type {FaultStage} from '../../../src/contract/constants.js';
import {startFaulty} from './faults-test.js';
import {RawClient, startServer} from './smtp-test.js';
import {testTls} from './tls-test.js';

const token = Buffer.from('\0joe\0secret').toString('base64');

/** What a client says at each stage, and all that it has to say before. */
const scripts: Readonly<
	Record<Exclude<FaultStage, 'connect'>, {readonly before: readonly string[]; readonly line: string}>
> = {
	helo: {before: [], line: 'EHLO client.test'},
	starttls: {before: ['EHLO client.test'], line: 'STARTTLS'},
	auth: {before: ['EHLO client.test'], line: `AUTH PLAIN ${token}`},
	mail: {before: ['EHLO client.test'], line: 'MAIL FROM:<app@example.test>'},
	rcpt: {before: ['EHLO client.test', 'MAIL FROM:<app@example.test>'], line: 'RCPT TO:<joe@tinbox.test>'},
	data: {
		before: ['EHLO client.test', 'MAIL FROM:<app@example.test>', 'RCPT TO:<joe@tinbox.test>'],
		line: 'DATA',
	},
	end: {
		before: ['EHLO client.test', 'MAIL FROM:<app@example.test>', 'RCPT TO:<joe@tinbox.test>', 'DATA'],
		line: 'Subject: x\r\n\r\nx\r\n.',
	},
};

const stages = Object.keys(scripts) as ReadonlyArray<keyof typeof scripts>;

/** A client that has said all that comes before a stage. */
async function arrive(port: number, stage: keyof typeof scripts): Promise<RawClient> {
	const client = RawClient.connect(port);
	await client.reply();
	for (const line of scripts[stage].before) {
		await client.say(line);
	}

	return client;
}

describe('replies of faults', () => {
	test.each(stages)(
		'the reply of a fault at %s is sent unchanged and reported, and the session goes on',
		async stage => {
			const {port, refused, mails, occasions} = await startFaulty([{stage, reply: '451 4.7.99 Not now'}], {
				tls: testTls(),
			});
			const client = await arrive(port, stage);
			expect(await client.say(scripts[stage].line)).toBe('451 4.7.99 Not now');
			expect(refused).toEqual([
				expect.objectContaining({
					stage: stage === 'end' ? 'data' : ['helo', 'starttls'].includes(stage) ? 'connect' : stage,
					reply: '451 4.7.99 Not now',
					reason: 'Not now',
				}),
			]);
			expect(occasions.filter(occasion => occasion.stage === stage)).toHaveLength(1);
			expect(mails).toEqual([]);
			await client.say('RSET');
			await client.say('EHLO client.test');
			await client.beginMail();
			expect(await client.say('Subject: again\r\n\r\n.')).toBe('250 2.6.0 Stored');
			expect(mails).toHaveLength(1);
		},
	);

	test('the reply of a fault instead of the greeting ends the session', async () => {
		const {port, refused} = await startFaulty([{stage: 'connect', reply: '554 5.3.2 Not here'}]);
		const client = RawClient.connect(port);
		client.send('EHLO client.test\r\n');
		await client.ended();
		expect(client.heard).toBe('554 5.3.2 Not here\r\n');
		expect(refused).toMatchObject([{stage: 'connect', reply: '554 5.3.2 Not here'}]);
	});

	test.each(stages)('a 421 of a fault at %s ends the session', async stage => {
		const {port} = await startFaulty([{stage, reply: '421 4.3.2 Closing'}], {tls: testTls()});
		const client = await arrive(port, stage);
		expect(await client.say(`${scripts[stage].line}\r\nNOOP`)).toBe('421 4.3.2 Closing');
		await client.ended();
		expect(client.heard).toMatch(/421 4\.3\.2 Closing\r\n$/);
	});

	test.each(['XOAUTH2', 'OAUTHBEARER'])(
		'the reply of a fault to a token of %s follows after the challenge',
		async mechanism => {
			const {port} = await startFaulty([{stage: 'auth', reply: '454 4.7.0 Later'}]);
			const client = await RawClient.greeted(port);
			const data =
				mechanism === 'XOAUTH2' ? 'user=joe\x01auth=Bearer abc\x01\x01' : 'n,a=joe,\x01auth=Bearer abc\x01\x01';
			expect(await client.say(`AUTH ${mechanism} ${Buffer.from(data).toString('base64')}`)).toMatch(/^334 \S/);
			expect(await client.say('AQ==')).toBe('454 4.7.0 Later');
		},
	);

	test('the reply of a fault is reported even if it equals one of the server', async () => {
		const {port, refused} = await startFaulty([{stage: 'data', reply: '503 5.5.1 Error: need RCPT command'}]);
		const client = await arrive(port, 'data');
		await client.say('DATA');
		expect(refused).toMatchObject([{stage: 'data', addresses: ['joe@tinbox.test']}]);
	});

	test('a fault rejects one recipient, and the others get the mail', async () => {
		const {port, mails} = await startFaulty([{stage: 'rcpt', reply: '450 4.2.0 Greylisted'}]);
		const transport = createTransport({host: '127.0.0.1', port, secure: false});
		onTestFinished(() => transport.close());
		const to = ['ann@tinbox.test', 'joe@tinbox.test'];
		const {rejected} = await transport.sendMail({from: 'app@example.test', to, text: 'x'});
		expect(rejected).toEqual(['ann@tinbox.test']);
		expect(mails.map(({envelope}) => envelope.to)).toEqual([['joe@tinbox.test']]);
	});
});

test('the fault context has the session state of each stage', async () => {
	const {port, occasions} = await startFaulty([], {tls: testTls()});
	const client = await arrive(port, 'auth');
	await client.say(scripts.auth.line);
	await client.beginMail();
	await client.say(scripts.end.line);
	const who = {client: {host: '127.0.0.1', helo: 'client.test'}, user: 'joe'};
	const [app, joe] = ['app@example.test', 'joe@tinbox.test'];
	const {ids} = occasions[0] ?? {};
	expect(ids).toEqual({session: expect.any(String)});
	expect(occasions.slice(0, -1)).toEqual([
		{stage: 'connect', ids, client: {host: '127.0.0.1', helo: null}, user: null, inboxIds: [], from: null, to: []},
		{stage: 'helo', ids, client: who.client, user: null, inboxIds: [], from: null, to: []},
		{stage: 'auth', ids, ...who, inboxIds: [], from: null, to: []},
		{stage: 'mail', ids, ...who, inboxIds: [], from: app, to: []},
		{stage: 'rcpt', ids, ...who, inboxIds: [joe], from: app, to: [joe]},
		{stage: 'data', ids, ...who, inboxIds: [joe], from: app, to: [joe]},
	]);
});

test('a command that would be rejected anyway is not evaluated for faults', async () => {
	const {port, occasions} = await startFaulty([]);
	const client = await RawClient.greeted(port);
	for (const line of [
		'EHLO',
		'HELO a b',
		'STARTTLS',
		'RCPT TO:<joe@tinbox.test>',
		'DATA',
		'MAIL FROM:<app@example.test> SIZE=100001',
		'MAIL FROM:app',
		'AUTH PLAIN ====',
		'MAIL FROM:<app@example.test>',
		'MAIL FROM:<app@example.test>',
		'RCPT TO:<nobody@tinbox.test>',
		'RCPT TO:<joe@tinbox.test> NOTIFY=X',
		'DATA',
		`AUTH PLAIN ${token}`,
	]) {
		await client.say(line);
	}

	expect(occasions.map(({stage}) => stage)).toEqual(['connect', 'helo', 'mail']);
});

test('faults that cannot be evaluated cause a 451 and a log line', async () => {
	const evaluate = async () => Promise.reject(new Error('broken'));
	const faults = {mayAct: (stage: FaultStage) => stage === 'mail', evaluate, inboxesOf: () => []};
	const {port, logged} = await startServer({}, {faults});
	const client = await RawClient.greeted(port);
	expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^451 /);
	expect(logged).toMatchObject([{level: 'error'}]);
});

describe('drops by faults', () => {
	test.each(stages)(
		'a drop before the reply at %s ends the connection silently, and nothing is stored',
		async stage => {
			const {port, refused, mails} = await startFaulty([{stage, drop: 'before'}], {tls: testTls()});
			const client = await arrive(port, stage);
			const {length} = client.heard;
			client.send(`${scripts[stage].line}\r\n`);
			await client.ended();
			expect(client.heard.slice(length)).toBe('');
			expect(refused).toMatchObject([{reply: null, reason: 'a fault closed the connection'}]);
			expect(mails).toEqual([]);
		},
	);

	test('a drop before the greeting ends the connection', async () => {
		const {port} = await startFaulty([{stage: 'connect', drop: 'before'}]);
		const client = RawClient.connect(port);
		await client.ended();
		expect(client.heard).toBe('');
	});

	test.each<[FaultStage, string]>([
		['helo', '250-tinbox.test greets you'],
		['starttls', '220 2.0.0 Re'],
		['auth', '235 2.7.0 Auth'],
		['mail', '250 2.1.0'],
		['rcpt', '250 2.1.5'],
		['end', '250 2.6.0'],
	])('in the middle of the reply at %s', async (stage, half) => {
		const {port, mails} = await startFaulty([{stage, drop: 'mid'}], {tls: testTls()});
		const {line} = scripts[stage as keyof typeof scripts];
		const client = await arrive(port, stage as keyof typeof scripts);
		const {length} = client.heard;
		client.send(`${line}\r\nNOOP\r\n`);
		await client.ended();
		expect(client.heard.slice(length)).toContain(half);
		expect(client.heard.slice(length)).not.toMatch(/\n(?:250 |220 )|\r\n$/);
		expect(mails).toHaveLength(stage === 'end' ? 1 : 0);
	});

	test('a drop in the middle of a negative reply is reported once', async () => {
		const {port, mails, refused} = await startFaulty([{stage: 'end', reply: '451 4.3.0 Not now', drop: 'mid'}]);
		const client = await arrive(port, 'end');
		const {length} = client.heard;
		client.send(`${scripts.end.line}\r\n`);
		await client.ended();
		expect(client.heard.slice(length)).toBe('451 4.3.0');
		expect(mails).toEqual([]);
		expect(refused).toMatchObject([{reply: '451 4.3.0 Not now'}]);
	});

	test.each(['at once', 'later'])('a drop in the middle of a mail that is sent %s ends the connection', async when => {
		const {port, mails, refused} = await startFaulty([{stage: 'data', drop: 'mid'}]);
		const client = await arrive(port, 'data');
		client.send('DATA\r\n');
		if (when === 'later') {
			expect(await client.reply()).toMatch(/^354 /);
		}

		client.send(`${scripts.end.line}\r\n`);
		await client.ended();
		expect(client.heard).toMatch(/354 .*\r\n$/);
		expect(mails).toEqual([]);
		expect(refused).toMatchObject([{stage: 'data', addresses: ['joe@tinbox.test'], reply: null}]);
	});

	test('a drop after the commit keeps the mail and is no refusal', async () => {
		const {port, mails, refused} = await startFaulty([{stage: 'end', drop: 'after_commit'}]);
		const client = await arrive(port, 'end');
		const {length} = client.heard;
		client.send(`${scripts.end.line}\r\n`);
		await client.ended();
		expect(client.heard.slice(length)).toBe('');
		expect(mails).toHaveLength(1);
		expect(refused).toEqual([]);
	});

	test('a drop takes precedence over the reply of the same fault', async () => {
		const {port} = await startFaulty([{stage: 'mail', drop: 'before', reply: '451 4.3.0 Not now'}]);
		const client = await arrive(port, 'mail');
		client.send('MAIL FROM:<app@example.test>\r\n');
		await client.ended();
		expect(client.heard).not.toContain('451');
	});
});

describe('delays by faults', () => {
	const pipelined = stages.filter(stage => stage !== 'starttls' && stage !== 'data');
	test.each(pipelined)('a delay at %s precedes the reply and keeps the order of pipelined commands', async stage => {
		const {port, mails} = await startFaulty([{stage, delayMs: 60}]);
		const client = await arrive(port, stage);
		client.send(`${scripts[stage].line}\r\nNOOP\r\nRSET\r\nQUIT\r\n`);
		await client.ended();
		expect(client.heard).toMatch(/2\d\d .*\r\n250 2\.0\.0 OK\r\n250 2\.0\.0 Flushed\r\n221 2\.0\.0 Bye\r\n$/);
		expect(mails).toHaveLength(stage === 'end' ? 1 : 0);
	});

	test('a delay at connect also applies to clients that talk early', async () => {
		const {port, mails} = await startFaulty([{stage: 'connect', delayMs: 60, byteDelayMs: 1}]);
		const client = RawClient.connect(port);
		client.send(
			'EHLO client.test\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\nSubject: early\r\n\r\n.\r\nQUIT\r\n',
		);
		await client.ended();
		expect(client.heard.match(/^\d{3} /gm)?.map(Number)).toEqual([220, 250, 250, 250, 354, 250, 221]);
		expect(mails).toHaveLength(1);
	});

	test('a delay precedes the negative reply of the same fault', async () => {
		const {port} = await startFaulty([{stage: 'rcpt', delayMs: 30, reply: '451 4.3.0 Not now'}]);
		const client = await arrive(port, 'rcpt');
		expect(await client.say(scripts.rcpt.line)).toBe('451 4.3.0 Not now');
	});

	test('no timeout cuts a delay short', async () => {
		const {port} = await startFaulty([{stage: 'mail', delayMs: 1500}], {
			sessionDeadlineMs: 500,
			idleTimeoutMs: 500,
			handshakeDeadlineMs: 500,
		});
		const client = await RawClient.greeted(port);
		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
	});

	test.each([
		['a delay', {delayMs: 300_000}],
		['slow replies by faults', {byteDelayMs: 400}],
	])('keeps no place from others that nobody else has, by %s', async (_by, wrong) => {
		const {port, occasions} = await startFaulty([{stage: 'mail', ...wrong}], {maxConnections: 1, evictAfterMs: 500});
		const client = await RawClient.greeted(port);
		client.send('MAIL FROM:<app@example.test>\r\n');
		await vi.waitFor(() => expect(occasions.at(-1)?.stage).toBe('mail'));
		await vi.waitFor(async () => {
			const other = RawClient.connect(port);
			const greeting = await other.reply();
			expect(greeting).toMatch(/^220 /);
		});
		await client.ended();
		expect(client.heard).not.toMatch(/250 2\.1\.0 Accepted/);
	});

	test('delays and slow replies end at once when the daemon stops', async () => {
		const wrongs = [
			{stage: 'mail', delayMs: 300_000},
			{stage: 'connect'},
			{stage: 'connect', delayMs: 300_000},
			{stage: 'connect', byteDelayMs: 10_000},
		] as const;
		const {port, server, occasions} = await startFaulty(wrongs, {stopDeadlineMs: 60_000});
		const delayed = await RawClient.greeted(port);
		delayed.send('MAIL FROM:<app@example.test>\r\n');
		const others = [RawClient.connect(port), RawClient.connect(port)];
		await vi.waitFor(() => expect(occasions).toHaveLength(5));
		await server.stop();
		await Promise.all([delayed, ...others].map(client => client.ended()));
		expect(delayed.heard).toMatch(/250 2\.1\.0 Accepted\r\n421 4\.4\.2 Server shutting down\r\n$/);
	});

	test.each<[keyof typeof scripts, string]>([
		['rcpt', scripts.rcpt.line],
		['end', scripts.end.line],
		['end', `${'x'.repeat(90_000)}\r\n.`],
	])('at %s ends at once with the client', async (stage, line) => {
		const {port, mails} = await startFaulty([{stage, delayMs: 300_000}], {maxConnections: 1});
		const leaving = await arrive(port, stage);
		leaving.send(`${line}\r\n`);
		await vi.waitFor(() => expect(mails).toHaveLength(stage === 'end' ? 1 : 0));
		await leaving.flushed();
		leaving.socket.end();
		await vi.waitFor(async () => {
			const next = RawClient.connect(port);
			const greeting = await next.reply();
			next.socket.destroy();
			expect(greeting).toMatch(/^220 /);
		});
	});
});

describe('a slow reply', () => {
	test.each(stages.filter(stage => stage !== 'starttls'))(
		'at %s comes byte by byte, before all others',
		async stage => {
			const {port} = await startFaulty([{stage, byteDelayMs: 10}]);
			const client = await arrive(port, stage);
			const {length} = client.heard;
			const pieces: string[] = [];
			client.socket.on('data', data => pieces.push(String(data)));
			client.send(`${scripts[stage].line}\r\n`);
			if (stage !== 'data') {
				client.send('NOOP\r\nQUIT\r\n');
				await client.ended();
				expect(client.heard.slice(length)).toMatch(
					/^(?:\d{3}-.*\r\n)*2\d\d .*\r\n250 2\.0\.0 OK\r\n221 2\.0\.0 Bye\r\n$/,
				);
			} else {
				await client.reply();
			}

			expect(pieces.length).toBeGreaterThan(10);
		},
	);

	test('a slow reply may be negative and end the session', async () => {
		const {port, refused} = await startFaulty([{stage: 'mail', byteDelayMs: 2, reply: '421 4.3.2 Closing'}]);
		const client = await arrive(port, 'mail');
		client.send('MAIL FROM:<app@example.test>\r\nNOOP\r\n');
		await client.ended();
		expect(client.heard).toMatch(/421 4\.3\.2 Closing\r\n$/);
		expect(refused).toHaveLength(1);
	});

	test('a slow reply to STARTTLS is complete before the handshake', async () => {
		const {port} = await startFaulty([{stage: 'starttls', byteDelayMs: 100}], {
			tls: testTls(),
			handshakeDeadlineMs: 1200,
		});
		const plain = await arrive(port, 'starttls');
		expect(await plain.say('STARTTLS')).toMatch(/^220 /);
		const client = await plain.shakeHands();
		expect(await client.say('EHLO client.test')).toMatch(/^250-/);
	});
});
