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

/** Lower case without a full stop. */
const phrase = /^[^A-Z].*[^.]$|^SMTP\b.*[^.]$/s;

describe.each(commands)('the help of %s', (_, command) => {
	test('has a description', () => {
		expect(command.description()).toMatch(phrase);
	});

	test('describes each argument and option', () => {
		for (const {description} of [...command.registeredArguments, ...command.options]) {
			expect(description).toMatch(/./);
			expect(description).not.toMatch(/\.$/);
		}
	});
});

test('every command has a name of one word', () => {
	expect(commands.filter(([name]) => !/^[a-z_ ]+$/.test(name))).toEqual([]);
});

describe('every command in code and help exists:', () => {
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

describe('every CLI example of the OpenAPI document can be parsed:', () => {
	const examples = operationGroups.flatMap(({operations}) => operations.flatMap(({command = []}) => command));

	test.each(examples)('%s', example => {
		const words = ['tinbox', ...wordsOf(example).slice(1)];
		const [name, command] = commands.filter(([name]) => isStartOf(name.split(' '), words)).at(-1) ?? [];
		expect(name).toBeDefined();
		expect(command?.commands).toEqual([]);
		const {operands = [], unknown} = command?.parseOptions(words.slice(name?.split(' ').length)) ?? {};
		expect(unknown).toEqual([]);
		const {registeredArguments: parameters = []} = command ?? {};
		expect(operands.length).toBeGreaterThanOrEqual(parameters.filter(({required}) => required).length);
		expect(operands.length).toBeLessThanOrEqual(
			parameters.some(({variadic}) => variadic) ? Infinity : parameters.length,
		);
	});
});

/** The words of a shell line. A placeholder such as `<key>` is one word. */
function wordsOf(line: string): readonly string[] {
	return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
}

function isStartOf(start: readonly string[], words: readonly string[]): boolean {
	return start.every((word, index) => words[index] === word);
}

/** Code blocks and code spans of Markdown, without comments. */
function codeIn(markdown: string): string {
	const code = markdown.match(/^```.*?^```|`[^`\n]+`/gms) ?? [];
	return code.join('\n').replaceAll(/ # .*$/gm, '');
}

/** The words of each call in lines of code, such as `tinbox inbox create`, `npx tinbox open` and `$(tinbox inbox create)`. */
function callsIn(text: string): ReadonlyArray<readonly string[]> {
	const calls = text.matchAll(/(?:^ *|["`(]|: |[|;] |npx )tinbox ([a-z]+)(?: ([a-z]+))?(?![\w-])/gm);
	return [...calls].map(([, first = '', second]) => (second === undefined ? [first] : [first, second]));
}
