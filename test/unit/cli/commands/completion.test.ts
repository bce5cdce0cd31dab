import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bashReply, parseBashLine} from '../../../../src/cli/commands/completion.js';
import {faultBody, inboxBody, messageBody} from '../../../helpers/bodies.js';
import {type FakeCalls, runFake} from '../../../helpers/context.js';

const wordBreaks = ' \t\n"\'@><=;|&(:';

describe('bash completion', () => {
	test.each([
		{line: 'tinbox inbox ', words: ['tinbox', 'inbox', '']},
		{line: 'tinbox inb', words: ['tinbox', 'inb']},
		{line: 'tinbox show with\\ sp', words: ['tinbox', 'show', 'with sp']},
		{line: `tinbox show 'it"s`, words: ['tinbox', 'show', 'it"s']},
		{line: `tinbox "a'b"'c d'`, words: ['tinbox', `a'bc d`]},
		{line: 'tinbox "a\\$b\\c"', words: ['tinbox', 'a$b\\c']},
		{line: "tinbox 'a\\'", words: ['tinbox', 'a\\']},
		{line: "tinbox ''", words: ['tinbox', '']},
		{line: 'tinbox $(touch x) `id`', words: ['tinbox', '$(touch', 'x)', '`id`']},
	])('splits the line $line into words', ({line, words}) => {
		expect(parseBashLine(line, wordBreaks).words).toEqual(words);
	});

	test.each([
		{line: 'tinbox show us', value: 'user@tinbox.test', reply: 'user@tinbox.test'},
		{line: 'tinbox show user@t', value: 'user@tinbox.test', reply: '@tinbox.test'},
		{line: 'tinbox list --json=id,na', value: '--json=id,name', reply: 'id,name'},
		{line: 'tinbox show wi', value: 'with space', reply: 'with\\ space'},
		{line: 'tinbox show it', value: "it's $(x)", reply: "it\\'s\\ \\$\\(x\\)"},
		{line: "tinbox show 'it", value: 'it is', reply: 'it is'},
		{line: "tinbox show 'it", value: "it's", reply: undefined},
		{line: 'tinbox show "it', value: 'it$"', reply: 'it\\$\\"'},
	])('completes $line to $value with the reply $reply', ({line, value, reply}) => {
		expect(bashReply(value, parseBashLine(line, wordBreaks))).toBe(reply);
	});

	test('quotes replies so that bash parses them as the value', () => {
		fc.assert(
			fc.property(fc.string({unit: 'grapheme', minLength: 1}), value => {
				const reply = bashReply(value, parseBashLine('tinbox ', wordBreaks));
				expect(parseBashLine(`tinbox ${reply}`, wordBreaks).words).toEqual(['tinbox', value]);
			}),
		);
	});
});

const inboxes = [
	inboxBody({id: 'id-1', email_address: 'user+tag@tinbox.test', name: 'with space'}),
	inboxBody({id: 'id-2', email_address: 'other@tinbox.test', name: "it's \x1b[31mred"}),
];

const calls: FakeCalls = {
	inboxes: {
		list: async () => ({inboxes, total: 2, page: 1, limit: 100}),
		get: async () => inboxBody({id: 'id-1'}),
	},
	faults: {
		list: async inboxId => [faultBody({name: inboxId === null ? 'tls-fail' : 'greylist'})],
	},
	messages: {list: async () => [messageBody({id: 'message-1', subject: 'Hello\n\x1b[31mred'})]},
};

/** Completion candidates for the last word. */
async function candidates(...words: readonly string[]): Promise<string[]> {
	const {stdout, stderr, exitCode} = await runFake(['__complete', '--', ...words], calls);
	expect({stderr, exitCode}).toEqual({stderr: '', exitCode: 0});
	return stdout.split('\n').slice(0, -1);
}

const valuesOf = (lines: readonly string[]) => lines.map(line => line.split('\t')[0]);

describe('completion candidates', () => {
	const commands: ReadonlyArray<{words: string[]; values: string[]}> = [
		{words: ['mess'], values: ['messages']},
		{words: ['inbox', 'cr'], values: ['create', 'credentials']},
		{words: ['inbox', 'create', '--na'], values: ['--name']},
		{words: ['inbox', 'list', '--prof'], values: ['--profile']},
		{words: ['daemon', 'status', '--format', ''], values: ['env']},
		{words: ['inbox', 'list', '--json=id,mess'], values: ['--json=id,message_count']},
		{words: ['completion', ''], values: ['bash', 'zsh', 'fish']},
		{words: ['help', 'exit'], values: ['exit-codes']},
		{words: ['inbox', 'show', ''], values: ['user+tag@tinbox.test', 'with space', 'id-1', 'other@tinbox.test', 'id-2']},
		{words: ['inbox', 'delete', 'id-1', 'ot'], values: ['other@tinbox.test']},
		{words: ['messages', 'wait', '--timeout', '1m', 'us'], values: ['user+tag@tinbox.test']},
		{words: ['messages', 'show', 'id-1', ''], values: ['latest', 'message-1']},
		{words: ['--profile', 'local', 'inbox', 'sh'], values: ['show']},
		{words: ['inbox', 'show', 'id-1', ''], values: []},
		{words: ['messages', 'wait', 'id-1', '--subject', ''], values: []},
		{words: ['faults', 'add', 'id-1', 'drop'], values: ['drop-mid', 'drop-after-commit']},
		{words: ['faults', 'add', '--daemon', 'tls'], values: ['tls-fail']},
		{words: ['faults', 'add', 'id-1', 'greylist', '--drop', ''], values: ['before', 'mid', 'after-commit']},
		{words: ['faults', 'wait', 'id-1', ''], values: ['greylist']},
		{words: ['faults', 'wait', '--daemon', ''], values: ['tls-fail']},
		{words: ['faults', 'wait', 'us'], values: ['user+tag@tinbox.test']},
		{words: ['inbox', 'create', '--fault', 'ta'], values: ['tarpit']},
		{words: ['run', '--fault', 'ta'], values: ['tarpit']},
		{words: ['nonsense', ''], values: []},
		{words: ['send', 'id-1', '--attach', ''], values: [':files']},
		{words: ['run', '--', 'np'], values: [':files']},
		{words: ['run', 'npm', '--k'], values: [':files']},
	];

	test.each(commands.map(row => [row.words.join(' '), row.values.join(' '), row] as const))(
		'for "%s" are "%s"',
		async (_line, _values, {words, values}) => {
			expect(valuesOf(await candidates(...words))).toEqual(values);
		},
	);

	test('contain no line breaks or control characters in descriptions', async () => {
		expect(await candidates('messages', 'show', 'id-1', 'mess')).toEqual(['message-1\tHello red (shop@example.com)']);
	});

	test('include all flags of a command', async () => {
		expect(valuesOf(await candidates('daemon', 'logs', '--'))).toEqual(['--lines', '--follow', '--help', '--profile']);
	});

	test('are empty without an error if the daemon is unreachable', async () => {
		const fail = async () => {
			throw new Error('no daemon');
		};
		const {exitCode, stdout, stderr} = await runFake(['__complete', '--', 'inbox', 'show', ''], {
			inboxes: {list: fail},
		});
		expect({exitCode, stdout, stderr}).toEqual({exitCode: 0, stdout: '', stderr: ''});
	});
});
