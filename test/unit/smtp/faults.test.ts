import {text} from 'node:stream/consumers';
import {createTransport} from 'nodemailer';
import {describe, expect, onTestFinished, test, vi} from 'vitest';
import type {FaultStage} from '../../../src/contract/constants.js';
import {type FaultEffect, type FaultReply, readFaultReply} from '../../../src/domain/faults/fault.js';
import {type FaultContext, FaultRejection} from '../../../src/services/faults/engine.js';
import {RawClient, startServer, type TestServer, testTls} from './test-server.js';

const token = Buffer.from('\0joe\0secret').toString('base64');

/** The line that triggers each stage, and the lines that must precede it. */
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

/** Connects and sends the lines that precede a stage. */
async function connectBefore(port: number, stage: keyof typeof scripts): Promise<RawClient> {
	const client = RawClient.connect(port);
	await client.reply();
	for (const line of scripts[stage].before) {
		await client.say(line);
	}

	return client;
}

describe('the reply of a fault', () => {
	test.each(stages)('at %s is sent unchanged and reported, and the session continues', async stage => {
		const {port, refused, mails, contexts} = await startFaultyServer([{stage, reply: '451 4.7.99 Not now'}], {
			tls: testTls(),
		});
		const client = await connectBefore(port, stage);
		expect(await client.say(scripts[stage].line)).toBe('451 4.7.99 Not now');
		expect(refused).toEqual([
			expect.objectContaining({
				stage: stage === 'end' ? 'data' : ['helo', 'starttls'].includes(stage) ? 'connect' : stage,
				reply: '451 4.7.99 Not now',
				reason: 'Not now',
			}),
		]);
		expect(contexts.filter(context => context.stage === stage)).toHaveLength(1);
		expect(mails).toEqual([]);
		await client.say('RSET');
		await client.say('EHLO client.test');
		await client.beginMail();
		expect(await client.say('Subject: again\r\n\r\n.')).toBe('250 2.6.0 Stored');
		expect(mails).toHaveLength(1);
	});

	test('instead of the greeting ends the session', async () => {
		const {port, refused} = await startFaultyServer([{stage: 'connect', reply: '554 5.3.2 Not here'}]);
		const client = RawClient.connect(port);
		client.send('EHLO client.test\r\n');
		await client.closed();
		expect(client.output).toBe('554 5.3.2 Not here\r\n');
		expect(refused).toMatchObject([{stage: 'connect', reply: '554 5.3.2 Not here'}]);
	});

	test.each(stages)('with the code 421 at %s ends the session', async stage => {
		const {port} = await startFaultyServer([{stage, reply: '421 4.3.2 Closing'}], {tls: testTls()});
		const client = await connectBefore(port, stage);
		expect(await client.say(`${scripts[stage].line}\r\nNOOP`)).toBe('421 4.3.2 Closing');
		await client.closed();
		expect(client.output).toMatch(/421 4\.3\.2 Closing\r\n$/);
	});

	test.each(['XOAUTH2', 'OAUTHBEARER'])('to a token of %s follows the challenge', async mechanism => {
		const {port} = await startFaultyServer([{stage: 'auth', reply: '454 4.7.0 Later'}]);
		const client = await RawClient.open(port);
		const data =
			mechanism === 'XOAUTH2' ? 'user=joe\x01auth=Bearer abc\x01\x01' : 'n,a=joe,\x01auth=Bearer abc\x01\x01';
		expect(await client.say(`AUTH ${mechanism} ${Buffer.from(data).toString('base64')}`)).toMatch(/^334 \S/);
		expect(await client.say('AQ==')).toBe('454 4.7.0 Later');
	});

	test('is reported even if it equals a reply of the server', async () => {
		const {port, refused} = await startFaultyServer([{stage: 'data', reply: '503 5.5.1 Error: need RCPT command'}]);
		const client = await connectBefore(port, 'data');
		await client.say('DATA');
		expect(refused).toMatchObject([{stage: 'data', addresses: ['joe@tinbox.test']}]);
	});

	test('to one recipient does not affect the others', async () => {
		const {port, mails} = await startFaultyServer([{stage: 'rcpt', reply: '450 4.2.0 Greylisted'}]);
		const transport = createTransport({host: '127.0.0.1', port, secure: false});
		onTestFinished(() => transport.close());
		const to = ['ann@tinbox.test', 'joe@tinbox.test'];
		const {rejected} = await transport.sendMail({from: 'app@example.test', to, text: 'x'});
		expect(rejected).toEqual(['ann@tinbox.test']);
		expect(mails.map(({envelope}) => envelope.to)).toEqual([['joe@tinbox.test']]);
	});
});

test('the fault context contains the session state of each stage', async () => {
	const {port, contexts} = await startFaultyServer([], {tls: testTls()});
	const client = await connectBefore(port, 'auth');
	await client.say(scripts.auth.line);
	await client.beginMail();
	await client.say(scripts.end.line);
	const session = {client: {host: '127.0.0.1', helo: 'client.test'}, user: 'joe'};
	const [app, joe] = ['app@example.test', 'joe@tinbox.test'];
	const {ids} = contexts[0] ?? {};
	expect(ids).toEqual({session: expect.any(String)});
	expect(contexts.slice(0, -1)).toEqual([
		{stage: 'connect', ids, client: {host: '127.0.0.1', helo: null}, user: null, inboxIds: [], from: null, to: []},
		{stage: 'helo', ids, client: session.client, user: null, inboxIds: [], from: null, to: []},
		{stage: 'auth', ids, ...session, inboxIds: [], from: null, to: []},
		{stage: 'mail', ids, ...session, inboxIds: [], from: app, to: []},
		{stage: 'rcpt', ids, ...session, inboxIds: [joe], from: app, to: [joe]},
		{stage: 'data', ids, ...session, inboxIds: [joe], from: app, to: [joe]},
	]);
});

test('a command that would be rejected anyway is not evaluated for faults', async () => {
	const {port, contexts} = await startFaultyServer([]);
	const client = await RawClient.open(port);
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

	expect(contexts.map(({stage}) => stage)).toEqual(['connect', 'helo', 'mail']);
});

test('an error while faults are evaluated causes a 451 reply and a log line', async () => {
	const evaluate = async () => Promise.reject(new Error('broken'));
	const faults = {mayAct: (stage: FaultStage) => stage === 'mail', evaluate, inboxesOf: () => []};
	const {port, logged} = await startServer({}, {faults});
	const client = await RawClient.open(port);
	expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^451 /);
	expect(logged).toMatchObject([{level: 'error'}]);
});

describe('a drop by a fault', () => {
	test.each(stages)('before the reply at %s closes the connection without a reply or a stored mail', async stage => {
		const {port, refused, mails} = await startFaultyServer([{stage, drop: 'before'}], {tls: testTls()});
		const client = await connectBefore(port, stage);
		const {length} = client.output;
		client.send(`${scripts[stage].line}\r\n`);
		await client.closed();
		expect(client.output.slice(length)).toBe('');
		expect(refused).toMatchObject([{reply: null, reason: 'a fault closed the connection'}]);
		expect(mails).toEqual([]);
	});

	test('before the greeting closes the connection', async () => {
		const {port} = await startFaultyServer([{stage: 'connect', drop: 'before'}]);
		const client = RawClient.connect(port);
		await client.closed();
		expect(client.output).toBe('');
	});

	test.each<[FaultStage, string]>([
		['helo', '250-tinbox.test greets you'],
		['starttls', '220 2.0.0 Re'],
		['auth', '235 2.7.0 Auth'],
		['mail', '250 2.1.0'],
		['rcpt', '250 2.1.5'],
		['end', '250 2.6.0'],
	])('in the middle of the reply at %s closes the connection', async (stage, half) => {
		const {port, mails} = await startFaultyServer([{stage, drop: 'mid'}], {tls: testTls()});
		const {line} = scripts[stage as keyof typeof scripts];
		const client = await connectBefore(port, stage as keyof typeof scripts);
		const {length} = client.output;
		client.send(`${line}\r\nNOOP\r\n`);
		await client.closed();
		expect(client.output.slice(length)).toContain(half);
		expect(client.output.slice(length)).not.toMatch(/\n(?:250 |220 )|\r\n$/);
		expect(mails).toHaveLength(stage === 'end' ? 1 : 0);
	});

	test('in the middle of a negative reply is reported once', async () => {
		const {port, mails, refused} = await startFaultyServer([{stage: 'end', reply: '451 4.3.0 Not now', drop: 'mid'}]);
		const client = await connectBefore(port, 'end');
		const {length} = client.output;
		client.send(`${scripts.end.line}\r\n`);
		await client.closed();
		expect(client.output.slice(length)).toBe('451 4.3.0');
		expect(mails).toEqual([]);
		expect(refused).toMatchObject([{reply: '451 4.3.0 Not now'}]);
	});

	test.each(['before', 'after'])(
		'in the middle of a mail sent %s the reply to DATA closes the connection',
		async when => {
			const {port, mails, refused} = await startFaultyServer([{stage: 'data', drop: 'mid'}]);
			const client = await connectBefore(port, 'data');
			client.send('DATA\r\n');
			if (when === 'after') {
				expect(await client.reply()).toMatch(/^354 /);
			}

			client.send(`${scripts.end.line}\r\n`);
			await client.closed();
			expect(client.output).toMatch(/354 .*\r\n$/);
			expect(mails).toEqual([]);
			expect(refused).toMatchObject([{stage: 'data', addresses: ['joe@tinbox.test'], reply: null}]);
		},
	);

	test('after the commit keeps the mail and is not reported as a refusal', async () => {
		const {port, mails, refused} = await startFaultyServer([{stage: 'end', drop: 'after_commit'}]);
		const client = await connectBefore(port, 'end');
		const {length} = client.output;
		client.send(`${scripts.end.line}\r\n`);
		await client.closed();
		expect(client.output.slice(length)).toBe('');
		expect(mails).toHaveLength(1);
		expect(refused).toEqual([]);
	});

	test('takes precedence over the reply of the same fault', async () => {
		const {port} = await startFaultyServer([{stage: 'mail', drop: 'before', reply: '451 4.3.0 Not now'}]);
		const client = await connectBefore(port, 'mail');
		client.send('MAIL FROM:<app@example.test>\r\n');
		await client.closed();
		expect(client.output).not.toContain('451');
	});
});

describe('a delay by a fault', () => {
	const pipelined = stages.filter(stage => stage !== 'starttls' && stage !== 'data');
	test.each(pipelined)('at %s precedes the reply and keeps the order of pipelined commands', async stage => {
		const {port, mails} = await startFaultyServer([{stage, delayMs: 60}]);
		const client = await connectBefore(port, stage);
		client.send(`${scripts[stage].line}\r\nNOOP\r\nRSET\r\nQUIT\r\n`);
		await client.closed();
		expect(client.output).toMatch(/2\d\d .*\r\n250 2\.0\.0 OK\r\n250 2\.0\.0 Flushed\r\n221 2\.0\.0 Bye\r\n$/);
		expect(mails).toHaveLength(stage === 'end' ? 1 : 0);
	});

	test('at connect also applies to clients that send before the greeting', async () => {
		const {port, mails} = await startFaultyServer([{stage: 'connect', delayMs: 60, byteDelayMs: 1}]);
		const client = RawClient.connect(port);
		client.send(
			'EHLO client.test\r\nMAIL FROM:<a@example.test>\r\nRCPT TO:<b@tinbox.test>\r\nDATA\r\nSubject: early\r\n\r\n.\r\nQUIT\r\n',
		);
		await client.closed();
		expect(client.output.match(/^\d{3} /gm)?.map(Number)).toEqual([220, 250, 250, 250, 354, 250, 221]);
		expect(mails).toHaveLength(1);
	});

	test('precedes the negative reply of the same fault', async () => {
		const {port} = await startFaultyServer([{stage: 'rcpt', delayMs: 30, reply: '451 4.3.0 Not now'}]);
		const client = await connectBefore(port, 'rcpt');
		expect(await client.say(scripts.rcpt.line)).toBe('451 4.3.0 Not now');
	});

	test('is not shortened by the timeouts of the session', async () => {
		const {port} = await startFaultyServer([{stage: 'mail', delayMs: 1500}], {
			sessionDeadlineMs: 500,
			idleTimeoutMs: 500,
			handshakeDeadlineMs: 500,
		});
		const client = await RawClient.open(port);
		expect(await client.say('MAIL FROM:<app@example.test>')).toMatch(/^250 /);
	});

	test.each([
		['a delay', {delayMs: 300_000}],
		['a slow reply', {byteDelayMs: 400}],
	])('does not keep the last connection from a new client: %s', async (_by, fault) => {
		const {port, contexts} = await startFaultyServer([{stage: 'mail', ...fault}], {
			maxConnections: 1,
			evictAfterMs: 500,
		});
		const client = await RawClient.open(port);
		client.send('MAIL FROM:<app@example.test>\r\n');
		await vi.waitFor(() => expect(contexts.at(-1)?.stage).toBe('mail'));
		await vi.waitFor(async () => {
			const other = RawClient.connect(port);
			const greeting = await other.reply();
			expect(greeting).toMatch(/^220 /);
		});
		await client.closed();
		expect(client.output).not.toMatch(/250 2\.1\.0 Accepted/);
	});

	test('ends when the daemon stops, as does a slow reply', async () => {
		const faults = [
			{stage: 'mail', delayMs: 300_000},
			{stage: 'connect'},
			{stage: 'connect', delayMs: 300_000},
			{stage: 'connect', byteDelayMs: 10_000},
		] as const;
		const {port, server, contexts} = await startFaultyServer(faults, {stopDeadlineMs: 60_000});
		const delayed = await RawClient.open(port);
		delayed.send('MAIL FROM:<app@example.test>\r\n');
		const others = [RawClient.connect(port), RawClient.connect(port)];
		await vi.waitFor(() => expect(contexts).toHaveLength(5));
		await server.stop();
		await Promise.all([delayed, ...others].map(client => client.closed()));
		expect(delayed.output).toMatch(/250 2\.1\.0 Accepted\r\n421 4\.4\.2 Server shutting down\r\n$/);
	});

	test.each<[keyof typeof scripts, string]>([
		['rcpt', scripts.rcpt.line],
		['end', scripts.end.line],
		['end', `${'x'.repeat(90_000)}\r\n.`],
	])('at %s ends when the client disconnects', async (stage, line) => {
		const {port, mails} = await startFaultyServer([{stage, delayMs: 300_000}], {maxConnections: 1});
		const leaving = await connectBefore(port, stage);
		leaving.send(`${line}\r\n`);
		await vi.waitFor(() => expect(mails).toHaveLength(stage === 'end' ? 1 : 0));
		await leaving.flush();
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
		'at %s is sent byte by byte before the next replies',
		async stage => {
			const {port} = await startFaultyServer([{stage, byteDelayMs: 10}]);
			const client = await connectBefore(port, stage);
			const {length} = client.output;
			const pieces: string[] = [];
			client.socket.on('data', data => pieces.push(String(data)));
			client.send(`${scripts[stage].line}\r\n`);
			if (stage !== 'data') {
				client.send('NOOP\r\nQUIT\r\n');
				await client.closed();
				expect(client.output.slice(length)).toMatch(
					/^(?:\d{3}-.*\r\n)*2\d\d .*\r\n250 2\.0\.0 OK\r\n221 2\.0\.0 Bye\r\n$/,
				);
			} else {
				await client.reply();
			}

			expect(pieces.length).toBeGreaterThan(10);
		},
	);

	test('may be negative and end the session', async () => {
		const {port, refused} = await startFaultyServer([{stage: 'mail', byteDelayMs: 2, reply: '421 4.3.2 Closing'}]);
		const client = await connectBefore(port, 'mail');
		client.send('MAIL FROM:<app@example.test>\r\nNOOP\r\n');
		await client.closed();
		expect(client.output).toMatch(/421 4\.3\.2 Closing\r\n$/);
		expect(refused).toHaveLength(1);
	});

	test('to STARTTLS is complete before the handshake', async () => {
		const {port} = await startFaultyServer([{stage: 'starttls', byteDelayMs: 100}], {
			tls: testTls(),
			handshakeDeadlineMs: 1200,
		});
		const plain = await connectBefore(port, 'starttls');
		expect(await plain.say('STARTTLS')).toMatch(/^220 /);
		const client = await plain.startTls();
		expect(await client.say('EHLO client.test')).toMatch(/^250-/);
	});
});

/** A fault that acts once at a stage. */
type OneTimeFault = {readonly stage: FaultStage; readonly reply?: string} & Partial<Omit<FaultEffect, 'reply'>>;

type FaultyServer = TestServer & {
	/** Contexts of all evaluations, in order. */
	readonly contexts: FaultContext[];
};

/** Starts a server with faults that act once each, in order per stage. The address of an inbox is its id. */
async function startFaultyServer(
	faults: readonly OneTimeFault[],
	options: Parameters<typeof startServer>[0] = {},
): Promise<FaultyServer> {
	const remaining = [...faults];
	const contexts: FaultContext[] = [];
	const evaluate = async (context: FaultContext): Promise<FaultEffect | null> => {
		contexts.push(context);
		const index = remaining.findIndex(({stage}) => stage === context.stage);
		const [fault] = index < 0 ? [] : remaining.splice(index, 1);
		return fault ? effectOf(fault) : null;
	};
	const running: TestServer = await startServer(options, {
		faults: {mayAct: () => true, evaluate, inboxesOf: recipients => recipients},
		async deliver(envelope, session, source) {
			const mail = {envelope, source: await text(source.setEncoding('latin1'))};
			const {client} = session;
			const effect = await evaluate({
				stage: 'end',
				client,
				user: null,
				inboxIds: [],
				from: envelope.from,
				to: envelope.to,
			});
			if (effect && (effect.reply || effect.drop === 'before')) {
				throw new FaultRejection(effect);
			}

			running.mails.push(mail);
			return effect;
		},
	});
	return {...running, contexts};
}

function effectOf({stage, reply, ...effect}: OneTimeFault): FaultEffect {
	const read: FaultReply | null = reply === undefined ? null : (readFaultReply(reply) ?? null);
	return {faultId: 'fault', delayMs: 0, byteDelayMs: 0, drop: null, ...effect, reply: read};
}
