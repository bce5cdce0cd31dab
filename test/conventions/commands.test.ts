import {readFileSync} from 'node:fs';
import path from 'node:path';
import type {Command} from 'commander';
import {describe, expect, test} from 'vitest';
import {commandTable} from '../../src/cli/command-table.js';
import {createProgram} from '../../src/cli/program.js';
import {fakeContext} from '../helpers/context.js';

const root = path.join(import.meta.dirname, '../..');

/** Every command with the words that call it, all filled in. */
async function allCommands(): Promise<ReadonlyArray<readonly [string, Command]>> {
	const words = ['', ...commandTable.map(({name}) => name)];
	const walk = (command: Command, prefix: string): Array<readonly [string, Command]> =>
		command.commands.flatMap(sub => {
			const name = `${prefix} ${sub.name()}`;
			return [[name, sub] as const, ...walk(sub, name)];
		});
	return walk(await createProgram(fakeContext().context, words), 'tinbox');
}

const commands = await allCommands();

/** Where the help would show it as prose: in lower case, without a full stop. */
const phrase = /^[^A-Z].*[^.]$|^SMTP\b.*[^.]$/s;

describe.each(commands)('%s', (_, command) => {
	test('says what it is for', () => {
		expect(command.description()).toMatch(phrase);
	});

	test('explains each argument and option', () => {
		for (const {description} of [...command.registeredArguments, ...command.options]) {
			expect(description).toMatch(/./);
			expect(description).not.toMatch(/\.$/);
		}
	});
});

test('every command has a name of one word', () => {
	expect(commands.filter(([name]) => !/^[a-z_ ]+$/.test(name))).toEqual([]);
});

test('every command in the README, the topics and the examples exists', () => {
	const groups = new Set(commands.filter(([, {commands: subs}]) => subs.length > 0).map(([name]) => name));
	const known = new Set(commands.map(([name]) => name));
	const help = commands.map(([, command]) => command.helpInformation());
	const texts = [readFileSync(path.join(root, 'README.md'), 'utf8'), ...help];
	for (const [, first, second] of texts.join('\n').matchAll(/(?:^|[\s(`"'])tinbox ([a-z]+)(?: ([a-z]+))?/gm)) {
		const group = `tinbox ${first}`;
		if (groups.has(group) && second !== undefined) {
			expect(known).toContain(`${group} ${second}`);
		}
	}
});
