import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {helpTopics} from '../../../src/cli/help/topics.js';
import {exitCodes} from '../../../src/cli/output/exit.js';
import {settingNames, variableOf} from '../../../src/config/settings.js';
import {runFake} from '../../helpers/context.js';

describe('the help', () => {
	test.each([[], ['help'], ['--help'], ['-h']])('of the program comes by %s', async (...args) => {
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
	])('of a command comes by %s %s %s, with examples first', async (...args) => {
		const {exitCode, stdout} = await runFake(args);
		expect(exitCode).toBe(0);
		expect(stdout).toMatch(/^Examples:\n {2}addr=\$\(tinbox inbox create\)/);
		expect(stdout).toContain('Usage: tinbox inbox create [options]');
	});

	test('of a group comes on stderr when the command is missing', async () => {
		const {exitCode, stdout, stderr} = await runFake(['inbox']);
		expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
		expect(stderr).toContain('Usage: tinbox inbox [options] [command]');
	});

	test('names every topic', async () => {
		const {stdout} = await runFake([]);
		expect(stdout).toContain(`Help topics: ${Object.keys(helpTopics).join(', ')}.`);
	});

	test('of what does not exist is an error that says where to look', async () => {
		const {exitCode, stdout, stderr} = await runFake(['help', 'inbox', 'nonsense']);
		expect({exitCode, stdout}).toEqual({exitCode: 2, stdout: ''});
		expect(stderr).toBe('There is no command or topic "inbox nonsense".\nSee all: tinbox help\n');
	});
});

test.each([
	{args: ['inbx'], meant: 'inbox'},
	{args: ['inbox', 'lst'], meant: 'list'},
	{args: ['inbox', 'create', '--nme', 'x'], meant: '--name'},
])('a slip of the pen is understood: $args', async ({args, meant}) => {
	const {exitCode, stderr} = await runFake(args);
	expect(exitCode).toBe(2);
	expect(stderr).toContain(`(Did you mean ${meant}?)`);
});

describe('a topic', () => {
	test.each(Object.keys(helpTopics))('%s is printed on stdout, in lines of at most 140 characters', async name => {
		const {exitCode, stdout, stderr} = await runFake(['help', name]);
		expect({exitCode, stderr}).toEqual({exitCode: 0, stderr: ''});
		expect(stdout.split('\n').filter(line => line.length > 140)).toEqual([]);
	});

	test('exit-codes has all of them', async () => {
		const {stdout} = await runFake(['help', 'exit-codes']);
		expect(stdout.match(/^ {2}\d+/gm)?.map(Number)).toEqual(Object.values(exitCodes));
	});

	test('environment has every variable that is read', async () => {
		const {stdout} = await runFake(['help', 'environment']);
		const src = path.join(import.meta.dirname, '../../../src');
		const code = readdirSync(src, {recursive: true, encoding: 'utf8'})
			.filter(file => /\.tsx?$/.test(file))
			.map(file => readFileSync(path.join(src, file), 'utf8'))
			.join('\n');
		const read = [...code.matchAll(/'(TINBOX_[A-Z_]+|BROWSER|NO_COLOR|PAGER)'/g)].map(([, name]) => name);
		const ownOnly = ['TINBOX_LAUNCHED', 'TINBOX_SIGNATURE', 'TINBOX_WHILE'];
		for (const name of [...read, ...settingNames.map(variableOf)].filter(name => !ownOnly.includes(name ?? ''))) {
			expect(stdout).toContain(name);
		}
	});
});
