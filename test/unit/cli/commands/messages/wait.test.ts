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

/** What the daemon is asked for, when nothing comes. */
async function asked(...args: readonly string[]) {
	const seen: Array<{filter: Parameters<Collect>[1]; options: Parameters<Collect>[2]}> = [];
	const collect: Collect = async (_inboxId, filter, options) => {
		seen.push({filter, options});
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
	return seen[0];
}

const arrived = messageBody({subject: 'Other \x1b[31mthing'});
const vain = withMessages({
	collect: async () => [],
	misses: async () => ({
		misses: [{message: arrived, reasons: ['The subject is "Other", not containing "code".']}],
		refusals: [],
		hits: [],
		evicted: 0,
	}),
});

describe('a wait', () => {
	test('asks for what its flags say', async () => {
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
		expect(await asked(...flags, '--count', '3', '--timeout', '2m')).toEqual({
			filter: {subject: '/a/', from: 'b', to: 'c', contains: 'd', header: ['X: e'], match: 'pattern', after: 'f'},
			options: {count: 3, timeoutMs: 120_000},
		});
		expect((await asked('--exact', '--subject', 'a'))?.filter).toMatchObject({subject: 'a', match: 'exact'});
		expect((await asked())?.filter.match).toBeUndefined();
		expect((await asked('--tls', '--smtp-user', 'ann'))?.filter).toEqual({tls: true, smtp_user: 'ann'});
		expect((await asked('--no-tls'))?.filter).toEqual({tls: false});
		expect((await asked('--new'))?.filter.after).toBe('newest');
		expect((await asked('--after', '6fdc33c3'))?.filter.after).toBe('whole id of 6fdc33c3');
		expect((await asked('--after', 'latest'))?.filter.after).toBe('whole id of latest');
		expect((await asked('--after', '2026-01-01'))?.filter.after).toBe('2026-01-01');
		expect((await asked('--field', 'code', '--field', 'link', '--field', 'code'))?.filter).toEqual({
			has: ['code', 'link'],
		});
		expect((await asked('--exact', '--field', 'link[/a/]', '--field', 'link[b]'))?.filter).toEqual({
			link: ['/a/', 'b'],
			match: 'exact',
		});
	});

	test('for several prints one line each, in the order they came', async () => {
		const messages = [messageBody({id: '1', codes: ['11']}), messageBody({id: '2', codes: ['22']})];
		const calls = withMessages({collect: async () => messages});
		const print = async (...args: readonly string[]) =>
			(await runFake(['messages', 'wait', 'x', '--count', '2', ...args], calls)).stdout;
		expect((await print()).split('\n').map(line => line.split('\t')[0])).toEqual(['1', '2', '']);
		expect(await print('--json=id')).toBe('{"id":"1"}\n{"id":"2"}\n');
		expect(await print('--field', 'code')).toBe('11\n22\n');
		expect(await print('--field', 'code', '--field', 'id')).toBe('11\n1\n22\n2\n');
	});

	test('in vain exits with 124 and says what did arrive, and why that was not it', async () => {
		const filters = ['--subject', 'code', '--from', 'shop', '--no-tls', '--smtp-user', 'ann'];
		const args = ['messages', 'wait', 'signup', ...filters, '--timeout', '2s'];
		const {exitCode, stdout, stderr} = await runFake(args, vain);
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

	test('in vain says so in JSON', async () => {
		const {stderr} = await runFake(['messages', 'wait', 'signup', '--json'], vain);
		expect(JSON.parse(stderr).error).toMatchObject({
			code: 'timeout',
			arrived: [
				{id: 'message-1', from: 'shop@example.com', subject: 'Other \x1b[31mthing', reasons: [expect.any(String)]},
			],
		});
	});

	test.each<{refused: readonly string[]; says: string}>([
		{refused: ['x'], says: '\n1 mail was rejected recently: RCPT <x@tinbox.test>: no such inbox\n'},
		{
			refused: ['a', 'b', 'c\x1b[31m', 'd', 'e'],
			says: [
				'\n5 mails were rejected recently (newest first):',
				...['a', 'b', 'c'].map(name => `  RCPT <${name}@tinbox.test>: no such inbox`),
				'  and 2 more\n',
			].join('\n'),
		},
	])('in vain says what was rejected recently: $refused', async ({refused, says}) => {
		const refusals = refused.map(name => refusalBody({address: `${name}@tinbox.test`}));
		const asked: unknown[] = [];
		const calls = withMessages({
			collect: async () => [],
			misses: async (_id, _filter, query) => {
				asked.push(query);
				return {misses: [], refusals, hits: [], evicted: 0};
			},
		});
		const {stderr} = await runFake(['messages', 'wait', 'signup'], calls);
		expect(stderr).toContain(`No other message arrived.${says}`);
		// A minute before the wait began: what it waits for may have been sent before.
		expect(asked).toEqual([{limit: 5, since: '2026-01-01T11:59:00.000Z'}]);
		const inJson = await runFake(['messages', 'wait', 'signup', '--json'], calls);
		expect(JSON.parse(inJson.stderr).error).toMatchObject({code: 'timeout', arrived: [], refused: refusals});
	});

	test('in vain tells of connections that were refused', async () => {
		const refusals = [refusalBody({stage: 'connect', address: null, reason: 'At most 1 is taken.'})];
		const calls = withMessages({
			collect: async () => [],
			misses: async () => ({misses: [], refusals, hits: [], evicted: 0}),
		});
		const {stderr} = await runFake(['messages', 'wait', 'signup'], calls);
		expect(stderr).toContain('1 connection was rejected recently: CONNECT from 127.0.0.1: At most 1 is taken.\n');
	});

	test('in vain says what faults did meanwhile', async () => {
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
	])('in vain says what was evicted, with %j from the beginning on', async (flags, evictedAfter) => {
		const asked: unknown[] = [];
		const calls = {
			...withMessages({
				list: async () => [],
				collect: async () => [],
				misses: async (_id, _filter, query) => {
					asked.push(query);
					return {misses: [], refusals: [], hits: [], evicted: 3};
				},
			}),
			inboxes: {get: async () => inboxBody({evicted: 40})},
		};
		const args = ['messages', 'wait', 'signup@tinbox.test', ...flags];
		const {stderr} = await runFake(args, calls);
		expect(stderr).toContain('\n3 messages were evicted: the inbox reached its message limit or age limit.\n');
		expect(asked).toMatchObject([{limit: 5, evictedAfter}]);
		const inJson = await runFake([...args, '--json'], calls);
		expect(JSON.parse(inJson.stderr).error).toMatchObject({code: 'timeout', evicted: 3});
	});

	test('for several that saw only some says how many, and prints none', async () => {
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

	test('for nothing succeeds in silence when nothing came, and exits with 6 when something did', async () => {
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

describe('a field that the message does not have', () => {
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
	])('%s is read from what the template was filled with', async (field, printed) => {
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
	])('%s ends with 6 and what it has', async (field, says) => {
		const {exitCode, stdout, stderr} = await runFake(
			['messages', 'show', 'x', '--field', 'id', '--field', field],
			calls,
		);
		expect({exitCode, stdout}).toEqual({exitCode: 6, stdout: ''});
		expect(stderr).toBe(
			[
				says,
				'Links:',
				'  https://a.example/help (Help)',
				'Text: Hello, welcome.',
				'Read it: tinbox messages show inbox-1 message-1',
				'',
			].join('\n'),
		);
	});

	test('is told in JSON, too', async () => {
		const {stderr} = await runFake(['messages', 'show', 'x', 'm', '--field', 'code', '--json'], calls);
		expect(JSON.parse(stderr).error.code).toBe('usage');
	});
});

describe('a report', () => {
	const report = async (format: string, calls: FakeCalls, ...args: readonly string[]) => {
		const file = path.join(await tempDir(), 'reports', 'wait.out');
		const result = await runFake(['messages', 'wait', 'signup', ...args, '--report', format, file], calls);
		return {...result, written: await readFile(file, 'utf8').catch(() => undefined)};
	};

	test('in JUnit XML is one test case, failed with the evidence', async () => {
		const {exitCode, written = ''} = await report('junit', vain, '--subject', '<code>');
		expect(exitCode).toBe(124);
		expect(written).toContain('<testsuite name="tinbox" tests="1" failures="1" errors="0"');
		expect(written).toContain('name="a message with subject &quot;&lt;code&gt;&quot; in signup"');
		expect(written).toMatch(
			/<failure type="timeout" message="No message with subject [^"]*">[^<]*Other thing[^<]*<\/failure>/,
		);
	});

	test('of success has no failure', async () => {
		const calls = withMessages({collect: async () => [messageBody()]});
		const {exitCode, stdout, written} = await report('junit', calls);
		expect({exitCode, stdout}).toMatchObject({exitCode: 0, stdout: expect.stringContaining('Welcome')});
		expect(written).toContain('failures="0"');
		expect(written).not.toContain('<failure');
	});

	test('in JSON holds the same', async () => {
		const {written = ''} = await report('json', vain);
		expect(JSON.parse(written)).toMatchObject({
			name: 'a message in signup',
			ok: false,
			failure: {code: 'timeout', message: expect.stringContaining('Other thing'), arrived: [{id: 'message-1'}]},
		});
		const ok = await report('json', withMessages({collect: async () => []}), '--absent');
		expect(JSON.parse(ok.written ?? '')).toMatchObject({name: 'no message in signup', ok: true});
	});

	test('needs a format that is known and one file', async () => {
		const args = ['messages', 'wait', 'signup', '--report'];
		for (const report of [['xml', 'a'], ['junit'], ['junit', 'a', 'b'], ['constructor', 'a']]) {
			expect(await runFake([...args, ...report], vain)).toMatchObject({
				exitCode: 2,
				stderr: expect.stringContaining('--report junit <file> or --report json <file>'),
			});
		}
	});

	test('that cannot be written does not hide how the wait ended', async () => {
		const args = ['messages', 'wait', 'signup', '--report', 'junit', await tempDir()];
		const {exitCode, stderr} = await runFake(args, vain);
		expect(exitCode).toBe(124);
		expect(stderr).toContain('Could not write the report');
		expect((await runFake(args, withMessages({collect: async () => [messageBody()]}))).exitCode).toBe(1);
	});
});

test('JUnit XML is well-formed whatever the texts hold, and holds all of them that XML can', () => {
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
