import {readFile} from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {junit, type Verdict} from '../../../../../src/cli/output/report-file.js';
import type {Client} from '../../../../../src/client/index.js';
import {faultHitBody, inboxBody, messageBody, refusalBody} from '../../../../helpers/bodies.js';
import {type FakeCalls, runFake} from '../../../../helpers/context.js';
import {tempDir} from '../../../../helpers/temp-dir.js';

type Messages = Partial<Client['messages']>;
type Collect = Client['messages']['collect'];

function withMessages(messages: Messages): FakeCalls {
	return {inboxes: {get: async () => inboxBody()}, messages};
}

/** The filter and the options that `messages wait` sends with these arguments. */
async function requestOf(...args: readonly string[]) {
	const requests: Array<{filter: Parameters<Collect>[1]; options: Parameters<Collect>[2]}> = [];
	const collect: Collect = async (_inboxId, filter, options) => {
		requests.push({filter, options});
		return [];
	};
	const newest = messageBody({id: 'newest'});
	const calls = withMessages({
		collect,
		misses: async () => ({misses: [], refusals: [], hits: [], evicted: 0}),
		list: async () => [newest],
		get: async (_inboxId, name) => ({...messageBody({id: `whole id of ${name}`}), headers: []}),
	});
	await runFake(['messages', 'wait', 'signup', ...args], calls);
	return requests[0];
}

const arrived = messageBody({subject: 'Other \x1b[31mthing'});
const timedOut = withMessages({
	collect: async () => [],
	misses: async () => ({
		misses: [{message: arrived, reasons: ['The subject is "Other", not containing "code".']}],
		refusals: [],
		hits: [],
		evicted: 0,
	}),
});

describe('messages wait', () => {
	test('sends the filter and the limits of its flags', async () => {
		const flags = [
			'--subject',
			'/a/',
			'--from',
			'b',
			'--to',
			'c',
			'--contains',
			'd',
			'--header',
			'X: e',
			'--after',
			'f',
		];
		expect(await requestOf(...flags, '--count', '3', '--timeout', '2m')).toEqual({
			filter: {subject: '/a/', from: 'b', to: 'c', contains: 'd', header: ['X: e'], match: 'pattern', after: 'f'},
			options: {count: 3, timeoutMs: 120_000},
		});
		expect((await requestOf('--exact', '--subject', 'a'))?.filter).toMatchObject({subject: 'a', match: 'exact'});
		expect((await requestOf())?.filter.match).toBeUndefined();
		expect((await requestOf('--tls', '--smtp-user', 'ann'))?.filter).toEqual({tls: true, smtp_user: 'ann'});
		expect((await requestOf('--no-tls'))?.filter).toEqual({tls: false});
		expect((await requestOf('--new'))?.filter.after).toBe('newest');
		expect((await requestOf('--after', '6fdc33c3'))?.filter.after).toBe('whole id of 6fdc33c3');
		expect((await requestOf('--after', 'latest'))?.filter.after).toBe('whole id of latest');
		expect((await requestOf('--after', '2026-01-01'))?.filter.after).toBe('2026-01-01');
		expect((await requestOf('--field', 'code', '--field', 'link', '--field', 'code'))?.filter).toEqual({
			has: ['code', 'link'],
		});
		expect((await requestOf('--exact', '--field', 'link[/a/]', '--field', 'link[b]'))?.filter).toEqual({
			link: ['/a/', 'b'],
			match: 'exact',
		});
	});

	test('prints several messages in the order in which they arrived', async () => {
		const messages = [messageBody({id: '1', codes: ['11']}), messageBody({id: '2', codes: ['22']})];
		const calls = withMessages({collect: async () => messages});
		const print = async (...args: readonly string[]) =>
			(await runFake(['messages', 'wait', 'x', '--count', '2', ...args], calls)).stdout;
		expect((await print()).split('\n').map(line => line.split('\t')[0])).toEqual(['1', '2', '']);
		expect(await print('--json=id')).toBe('{"id":"1"}\n{"id":"2"}\n');
		expect(await print('--field', 'code')).toBe('11\n22\n');
		expect(await print('--field', 'code', '--field', 'id')).toBe('11\n1\n22\n2\n');
	});

	test('times out with exit code 124 and lists near misses with reasons', async () => {
		const filters = ['--subject', 'code', '--from', 'shop', '--no-tls', '--smtp-user', 'ann'];
		const args = ['messages', 'wait', 'signup', ...filters, '--timeout', '2s'];
		const {exitCode, stdout, stderr} = await runFake(args, timedOut);
		expect({exitCode, stdout}).toEqual({exitCode: 124, stdout: ''});
		expect(stderr).toBe(
			[
				'No message with subject "code" from "shop" without TLS sent by SMTP user "ann" arrived at signup@tinbox.test within 2s.',
				'Arrived, but did not match (closest first):',
				'  "Other thing" from shop@example.com, just now',
				'    The subject is "Other", not containing "code".',
				'Wait longer with --timeout, or check again: tinbox messages list signup@tinbox.test',
				'',
			].join('\n'),
		);
	});

	test('reports near misses as JSON with --json', async () => {
		const {stderr} = await runFake(['messages', 'wait', 'signup', '--json'], timedOut);
		expect(JSON.parse(stderr).error).toMatchObject({
			code: 'timeout',
			arrived: [
				{id: 'message-1', from: 'shop@example.com', subject: 'Other \x1b[31mthing', reasons: [expect.any(String)]},
			],
		});
	});

	test.each<{refused: readonly string[]; message: string}>([
		{refused: ['x'], message: '\n1 mail was rejected recently: RCPT <x@tinbox.test>: no such inbox\n'},
		{
			refused: ['a', 'b', 'c\x1b[31m', 'd', 'e'],
			message: [
				'\n5 mails were rejected recently (newest first):',
				...['a', 'b', 'c'].map(name => `  RCPT <${name}@tinbox.test>: no such inbox`),
				'  and 2 more\n',
			].join('\n'),
		},
	])('reports recently rejected recipients on a timeout: $refused', async ({refused, message}) => {
		const refusals = refused.map(name => refusalBody({address: `${name}@tinbox.test`}));
		const queries: unknown[] = [];
		const calls = withMessages({
			collect: async () => [],
			misses: async (_id, _filter, query) => {
				queries.push(query);
				return {misses: [], refusals, hits: [], evicted: 0};
			},
		});
		const {stderr} = await runFake(['messages', 'wait', 'signup'], calls);
		expect(stderr).toContain(`No other message arrived.${message}`);
		// From a minute before the wait: the app may have sent the mail before it started.
		expect(queries).toEqual([{limit: 5, since: '2026-01-01T11:59:00.000Z'}]);
		const inJson = await runFake(['messages', 'wait', 'signup', '--json'], calls);
		expect(JSON.parse(inJson.stderr).error).toMatchObject({code: 'timeout', arrived: [], refused: refusals});
	});

	test('reports recently rejected connections on a timeout', async () => {
		const refusals = [refusalBody({stage: 'connect', address: null, reason: 'At most 1 is taken.'})];
		const calls = withMessages({
			collect: async () => [],
			misses: async () => ({misses: [], refusals, hits: [], evicted: 0}),
		});
		const {stderr} = await runFake(['messages', 'wait', 'signup'], calls);
		expect(stderr).toContain('1 connection was rejected recently: CONNECT from 127.0.0.1: At most 1 is taken.\n');
	});

	test('reports fault hits on a timeout', async () => {
		const hits = [faultHitBody(), faultHitBody({id: 'hit-2', time: '2026-01-01T11:59:50.000Z'})];
		const refusals = [refusalBody({reply: faultHitBody().reply, reason: 'Greylisted, try again later'})];
		const calls = withMessages({
			collect: async () => [],
			misses: async () => ({misses: [], refusals, hits, evicted: 0}),
		});
		const {stderr} = await runFake(['messages', 'wait', 'signup'], calls);
		const clock = new Date(faultHitBody().time).toTimeString().slice(0, 8);
		expect(stderr).toContain(
			`No other message arrived.\n2 mails were answered 451 4.7.1 Greylisted, try again later by fault "greylist", most recently at ${clock}.\nWait longer`,
		);
		const inJson = await runFake(['messages', 'wait', 'signup', '--json'], calls);
		expect(JSON.parse(inJson.stderr).error).toMatchObject({faults: hits});
	});

	test.each([
		[[], undefined],
		[['--new'], 40],
		[['--after', '2026-01-01'], 40],
	])('reports evicted messages on a timeout with flags %j', async (flags, evictedAfter) => {
		const queries: unknown[] = [];
		const calls = {
			...withMessages({
				list: async () => [],
				collect: async () => [],
				misses: async (_id, _filter, query) => {
					queries.push(query);
					return {misses: [], refusals: [], hits: [], evicted: 3};
				},
			}),
			inboxes: {get: async () => inboxBody({evicted: 40})},
		};
		const args = ['messages', 'wait', 'signup@tinbox.test', ...flags];
		const {stderr} = await runFake(args, calls);
		expect(stderr).toContain('\n3 messages were evicted: the inbox reached its message limit or age limit.\n');
		expect(queries).toMatchObject([{limit: 5, evictedAfter}]);
		const inJson = await runFake([...args, '--json'], calls);
		expect(JSON.parse(inJson.stderr).error).toMatchObject({code: 'timeout', evicted: 3});
	});

	test('--count prints no message and reports the number received on a timeout', async () => {
		const calls = withMessages({
			collect: async () => [messageBody()],
			misses: async () => ({misses: [], refusals: [], hits: [], evicted: 0}),
		});
		const {exitCode, stdout, stderr} = await runFake(['messages', 'wait', 'x', '--count', '3'], calls);
		expect({exitCode, stdout}).toEqual({exitCode: 124, stdout: ''});
		expect(stderr).toContain(
			'Only 1 of 3 messages arrived at signup@tinbox.test within 30s.\nNo other message arrived.',
		);
	});

	test('--absent succeeds without output, and exits with 6 if a message arrived', async () => {
		const quiet = await runFake(['messages', 'wait', 'x', '--absent'], withMessages({collect: async () => []}));
		expect(quiet).toEqual({exitCode: 0, stdout: '', stderr: ''});
		const calls = withMessages({collect: async () => [arrived]});
		const {exitCode, stdout, stderr} = await runFake(['messages', 'wait', 'x', '--absent'], calls);
		expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
		expect(stderr).toContain(
			'Expected no message in signup@tinbox.test, but received:\n  "Other thing" from shop@example.com, just now\n',
		);
	});
});

describe('messages show --field', () => {
	const links = [{url: 'https://a.example/help', text: 'Help'}];
	const message = messageBody({codes: [], links, text: 'Hello,\nwelcome.'});
	const calls = withMessages({
		list: async () => [message],
		get: async (_inboxId, _id, {link} = {}) => (link === undefined ? message : {...message, links: []}),
	});

	test.each([
		['data.code', '482913\n'],
		['data.user.name', 'Ann\n'],
		['data.items.1', '{"n":2}\n'],
	])('%s is read from the template data, and is missing without data', async (field, printed) => {
		const data = {code: 482913, user: {name: 'Ann\x1b'}, items: [{n: 1}, {n: 2}]};
		const body = {provider: 'ses', method: 'POST', path: '/', headers: {}, body: '', size: 0, data};
		const show = async (request: typeof body | (Omit<typeof body, 'data'> & {data: null})) => {
			const messages = {...calls.messages, request: async () => request};
			return runFake(['messages', 'show', 'x', '--field', field], {...calls, messages});
		};
		expect((await show(body)).stdout).toBe(printed);
		const none = await show({...body, data: null});
		expect(none).toMatchObject({exitCode: 6, stderr: expect.stringContaining(`has no ${field}.`)});
	});

	test.each([
		['code', 'The message "Welcome" has no code.'],
		['link[/reset/]', 'The message "Welcome" has no link that matches /reset/.'],
	])('%s exits with 6 if it is missing, and lists what the message contains', async (field, message) => {
		const {exitCode, stdout, stderr} = await runFake(
			['messages', 'show', 'x', '--field', 'id', '--field', field],
			calls,
		);
		expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
		expect(stderr).toBe(
			[
				message,
				'Links:',
				'  https://a.example/help (Help)',
				'Text: Hello, welcome.',
				'Read it: tinbox messages show inbox-1 message-1',
				'',
			].join('\n'),
		);
	});

	test('rejects --json and reports the error as JSON', async () => {
		const {stderr} = await runFake(['messages', 'show', 'x', 'm', '--field', 'code', '--json'], calls);
		expect(JSON.parse(stderr).error.code).toBe('usage');
	});
});

describe('messages wait --report', () => {
	const report = async (format: string, calls: FakeCalls, ...args: readonly string[]) => {
		const file = path.join(await tempDir(), 'reports', 'wait.out');
		const result = await runFake(['messages', 'wait', 'signup', ...args, '--report', format, file], calls);
		return {...result, written: await readFile(file, 'utf8').catch(() => undefined)};
	};

	test('writes one failed JUnit test case with the near misses', async () => {
		const {exitCode, written = ''} = await report('junit', timedOut, '--subject', '<code>');
		expect(exitCode).toBe(124);
		expect(written).toContain('<testsuite name="tinbox" tests="1" failures="1" errors="0"');
		expect(written).toContain('name="a message with subject &quot;&lt;code&gt;&quot; in signup"');
		expect(written).toMatch(
			/<failure type="timeout" message="No message with subject [^"]*">[^<]*Other thing[^<]*<\/failure>/,
		);
	});

	test('writes a JUnit test case without a failure on success', async () => {
		const calls = withMessages({collect: async () => [messageBody()]});
		const {exitCode, stdout, written} = await report('junit', calls);
		expect({exitCode, stdout}).toMatchObject({exitCode: 0, stdout: expect.stringContaining('Welcome')});
		expect(written).toContain('failures="0"');
		expect(written).not.toContain('<failure');
	});

	test('writes the result and the near misses as JSON', async () => {
		const {written = ''} = await report('json', timedOut);
		expect(JSON.parse(written)).toMatchObject({
			name: 'a message in signup',
			ok: false,
			failure: {code: 'timeout', message: expect.stringContaining('Other thing'), arrived: [{id: 'message-1'}]},
		});
		const ok = await report('json', withMessages({collect: async () => []}), '--absent');
		expect(JSON.parse(ok.written ?? '')).toMatchObject({name: 'no message in signup', ok: true});
	});

	test('requires a supported format and one file', async () => {
		const args = ['messages', 'wait', 'signup', '--report'];
		for (const report of [['xml', 'a'], ['junit'], ['junit', 'a', 'b'], ['constructor', 'a']]) {
			expect(await runFake([...args, ...report], timedOut)).toMatchObject({
				exitCode: 2,
				stderr: expect.stringContaining('--report junit <file> or --report json <file>'),
			});
		}
	});

	test('keeps the exit code of the failed wait if the file cannot be written', async () => {
		const args = ['messages', 'wait', 'signup', '--report', 'junit', await tempDir()];
		const {exitCode, stderr} = await runFake(args, timedOut);
		expect(exitCode).toBe(124);
		expect(stderr).toContain('Could not write the report');
		expect((await runFake(args, withMessages({collect: async () => [messageBody()]}))).exitCode).toBe(1);
	});
});

test('JUnit reports are well-formed XML and keep every character that XML allows', () => {
	const text = fc.string({unit: 'binary'});
	const verdict: fc.Arbitrary<Verdict> = fc.record({
		name: text,
		startedAt: fc.constant('2026-01-01T12:00:00.000Z'),
		durationMs: fc.nat(),
		failure: fc.record({code: text, message: text, details: fc.constant({})}),
	});
	const value = '[^<>"\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ufffe\\uffff]*';
	const document = new RegExp(
		`<testcase classname="tinbox" name="(${value})" time="[\\d.]+">\\n\\t*<failure type="${value}" message="${value}">(${value})</failure>`,
		'u',
	);
	fc.assert(
		fc.property(verdict, ({name, ...rest}) => {
			const written = junit({name, ...rest});
			expect(written).not.toMatch(/\p{Surrogate}/u);
			const [, shownName = '', message = ''] = document.exec(written) ?? [];
			for (const [shown, original] of [
				[shownName, name],
				[message, rest.failure?.message ?? ''],
			] as const) {
				expect(shown).not.toMatch(/&(?!(?:amp|lt|gt|quot);)/);
				const read = shown.replace(
					/&(amp|lt|gt|quot);/g,
					(_, entity) => ({amp: '&', lt: '<', gt: '>', quot: '"'})[entity as 'lt'],
				);
				expect(read).toBe(original.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, '\ufffd'));
			}
		}),
	);
});
