import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {helpTopics} from '../../../../src/cli/commands/help.js';
import {exitCodes} from '../../../../src/cli/output/exit.js';
import {settingNames, variableOf} from '../../../../src/config/settings.js';
import {commandsBelow, helpOf, wholeProgram} from '../../../helpers/commands.js';
import {runFake} from '../../../helpers/context.js';

describe('help', () => {
	test.each([[], ['help'], ['--help'], ['-h']])('of the program is printed by "tinbox %s"', async (...args) => {
		const {exitCode, stdout, stderr} = await runFake(args);
		expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: ''});
		expect(stdout).toMatch(/^Gives every test .*\n\nExamples:\n {2}addr=/);
		expect(stdout).toContain('Usage: tinbox [options] [command]');
		expect(stdout).not.toContain('__complete');
	});

	test.each([
		['help', 'inbox', 'create'],
		['inbox', 'create', '--help'],
		['inbox', 'help', 'create'],
		['inbox', 'create', '-h'],
	])('of a command is printed by "tinbox %s %s %s" with examples first', async (...args) => {
		const {exitCode, stdout} = await runFake(args);
		expect(exitCode).toBe(0);
		expect(stdout).toMatch(/^Examples:\n {2}addr=\$\(tinbox inbox create\)/);
		expect(stdout).toContain('Usage: tinbox inbox create [options]');
	});

	test('of a group is printed to stderr if the command is missing', async () => {
		const {exitCode, stdout, stderr} = await runFake(['inbox']);
		expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
		expect(stderr).toContain('Usage: tinbox inbox [options] [command]');
	});

	test('names every topic', async () => {
		const {stdout} = await runFake([]);
		expect(stdout).toContain(`Help topics: ${Object.keys(helpTopics).join(', ')}.`);
	});

	test('of an unknown command is an error that points to the list', async () => {
		const {exitCode, stdout, stderr} = await runFake(['help', 'inbox', 'nonsense']);
		expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
		expect(stderr).toBe('There is no command or topic "inbox nonsense".\nSee all commands and topics: tinbox help\n');
	});
});

test.each([
	{args: ['inbx'], suggestion: 'inbox'},
	{args: ['inbox', 'lst'], suggestion: 'list'},
	{args: ['inbox', 'create', '--nme', 'x'], suggestion: '--name'},
])('a typing error leads to a suggestion: $args', async ({args, suggestion}) => {
	const {exitCode, stderr} = await runFake(args);
	expect(exitCode).toBe(2);
	expect(stderr).toContain(`Did you mean ${suggestion}?`);
});

describe('the help width', () => {
	test('is at most 80 columns for every command and every topic', async () => {
		const program = await wholeProgram();
		const commands = [['tinbox', program] as const, ...commandsBelow(program)];
		const wide = [
			...commands.map(([words, command]) => [words, tooWide(helpOf(command), 80)] as const),
			...Object.entries(helpTopics).map(([name, topic]) => [name, tooWide(topic.text(), 80)] as const),
		];
		expect(wide.filter(([, lines]) => lines.length > 0)).toEqual([]);
	});

	test.each([
		[['messages', '--help']],
		[['webhooks', 'listen', '--help']],
		[['daemon', 'start', '--help']],
		[['help', 'environment']],
		[['help', 'exit-codes']],
	])('of %j shrinks to a narrow terminal', async args => {
		for (const columns of [50, 65]) {
			const {stdout} = await runFake(args, {}, {terminal: {isTTY: true, columns}});
			const lines = stdout.split('\n').filter(line => !/^(?:Usage:| {2}(?:tinbox|-))/.test(line));
			expect(tooWide(lines.join('\n'), columns)).toEqual([]);
		}
	});

	test('is at most 80 columns on a wide terminal', async () => {
		const pipe = await runFake(['messages', 'wait', '--help']);
		const wide = await runFake(['messages', 'wait', '--help'], {}, {terminal: {isTTY: true, columns: 200}});
		expect(wide).toEqual(pipe);
	});

	test('applies to the help of a group whose command is missing', async () => {
		const {stderr} = await runFake(['messages'], {}, {terminal: {isTTY: true, columns: 60}});
		expect(tooWide(stderr, 60)).toEqual([]);
	});
});

/** Lines longer than the given number of columns. */
function tooWide(text: string, columns: number): readonly string[] {
	return text.split('\n').filter(line => line.length > columns);
}

describe('the help topic', () => {
	test.each(Object.keys(helpTopics))('%s is printed to stdout with at most 80 columns', async name => {
		const {exitCode, stdout, stderr} = await runFake(['help', name]);
		expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: ''});
		expect(tooWide(stdout, 80)).toEqual([]);
	});

	test('exit-codes lists every exit code', async () => {
		const {stdout} = await runFake(['help', 'exit-codes']);
		expect(stdout.match(/^ {2}\d+/gm)?.map(Number)).toEqual(Object.values(exitCodes));
	});

	test('environment lists every variable that the source reads', async () => {
		const {stdout} = await runFake(['help', 'environment']);
		const src = path.join(import.meta.dirname, '../../../../src');
		const code = readdirSync(src, {recursive: true, encoding: 'utf8'})
			.filter(file => /\.tsx?$/.test(file))
			.map(file => readFileSync(path.join(src, file), 'utf8'))
			.join('\n');
		const read = [...code.matchAll(/'(TINBOX_[A-Z_]+|BROWSER|NO_COLOR|PAGER)'/g)].map(([, name]) => name);
		const internalVariables = ['TINBOX_LAUNCHED', 'TINBOX_SIGNATURE', 'TINBOX_WHILE'];
		for (const name of [...read, ...settingNames.map(variableOf)].filter(
			name => !internalVariables.includes(name ?? ''),
		)) {
			expect(stdout).toContain(name);
		}
	});
});
