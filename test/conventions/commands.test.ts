import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {helpTopics} from '../../src/cli/commands/help.js';
import {operationGroups} from '../../src/http/api/index.js';
import {commandsBelow, helpOf, wholeProgram} from '../helpers/commands.js';

const root = path.join(import.meta.dirname, '../..');

const docs = readdirSync(path.join(root, 'docs'), {recursive: true, encoding: 'utf8'}).filter(name =>
	name.endsWith('.md'),
);

const pages = ['README.md', ...docs.map(name => path.join('docs', name))];

const commands = commandsBelow(await wholeProgram());

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

describe('every command that is shown exists:', () => {
	const groups = new Set(commands.filter(([, {commands: subs}]) => subs.length > 0).map(([name]) => name));
	const known = new Set(commands.map(([name]) => name));
	const shown: ReadonlyArray<readonly [string, string]> = [
		...pages.map(page => [page, codeIn(readFileSync(path.join(root, page), 'utf8'))] as const),
		...Object.entries(helpTopics).map(([name, topic]) => [`topic ${name}`, topic.text()] as const),
		...commands.map(([name, command]) => [name, helpOf(command)] as const),
	];

	test.each(shown.filter(([, text]) => callsIn(text).length > 0))('%s', (_, text) => {
		for (const [first, second] of callsIn(text)) {
			const name = `tinbox ${first}`;
			expect(known).toContain(groups.has(name) && second !== undefined ? `${name} ${second}` : name);
		}
	});
});

describe('every example of the API document is a call of the CLI:', () => {
	const examples = operationGroups.flatMap(({operations}) => operations.flatMap(({command = []}) => command));

	test.each(examples)('%s', example => {
		const words = ['tinbox', ...wordsOf(example).slice(1)];
		const [name, command] = commands.filter(([name]) => isStartOf(name.split(' '), words)).at(-1) ?? [];
		expect(name).toBeDefined();
		expect(command?.commands).toEqual([]);
		const {operands = [], unknown} = command?.parseOptions(words.slice(name?.split(' ').length)) ?? {};
		expect(unknown).toEqual([]);
		const {registeredArguments: taken = []} = command ?? {};
		expect(operands.length).toBeGreaterThanOrEqual(taken.filter(({required}) => required).length);
		expect(operands.length).toBeLessThanOrEqual(taken.some(({variadic}) => variadic) ? Infinity : taken.length);
	});
});

/** The words of a line of a shell, as which `<key>` stands for a word. */
function wordsOf(line: string): readonly string[] {
	return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
}

function isStartOf(start: readonly string[], words: readonly string[]): boolean {
	return start.every((word, index) => words[index] === word);
}

/** The blocks and spans of code in Markdown, without comments. */
function codeIn(markdown: string): string {
	const code = markdown.match(/^```.*?^```|`[^`\n]+`/gms) ?? [];
	return code.join('\n').replaceAll(/ # .*$/gm, '');
}

/** The words of each call in lines of code, such as `tinbox inbox create`, `npx tinbox open` and `$(tinbox inbox create)`. */
function callsIn(text: string): ReadonlyArray<readonly string[]> {
	const calls = text.matchAll(/(?:^ *|["`(]|: |[|;] |npx )tinbox ([a-z]+)(?: ([a-z]+))?(?![\w-])/gm);
	return [...calls].map(([, first = '', second]) => (second === undefined ? [first] : [first, second]));
}
