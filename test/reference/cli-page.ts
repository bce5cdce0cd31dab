import type {Argument, Command, Option} from 'commander';
import {helpTopics} from '../../src/cli/commands/help.js';
import {commandTable, createProgram} from '../../src/cli/program.js';
import {fakeContext} from '../helpers/context.js';
import {anchor, code, codes, fence, generated, page, prose, sentence, table} from './markdown.js';

/** More values than this are listed below the table of options. */
const maxValuesInTable = 6;

const introduction = `Every command of \`tinbox\`, with its arguments and options. \`tinbox help <command>\` prints the same in the terminal,
and \`tinbox help <topic>\` explains what concerns several commands:`;

const conventions = `## Conventions

| You write | Meaning |
| --- | --- |
| \`<inbox>\` | the id, the address or the name of an inbox |
| \`<message>\` | the id of a message, \`latest\`, or at least six characters from the start or the end of an id |
| \`<duration>\` | \`500ms\`, \`30s\`, \`2m\`, \`1.5h\`, \`7d\` or \`1m30s\`; a bare number counts seconds |
| \`<pattern>\` | a text to find anywhere, ignoring case, or a \`/regex/\` with the flags \`i\`, \`m\` and \`s\` (RE2 syntax) |
| \`--\` | ends the options; everything that follows is an argument |

- Data is written to stdout, notes and errors to stderr.
- On a terminal, lists are tables that fit its width, and message ids are cut to their last eight characters.
  In a pipe, lists are tab-separated, without a header, and nothing is cut.
- \`--json\` prints the object of the [HTTP API](http-api.md), \`--json=id,subject\` only these fields.
  Commands that print one row after another print one object per line.
- With \`--json\`, an error is one JSON object on stderr: \`{"error": {"code", "message", "hint"}}\`.
- A command that needs a daemon starts one if none runs. \`TINBOX_NO_START=1\` or \`TINBOX_URL\` prevents this.
- Exit codes are listed in [exit-codes.md](exit-codes.md), environment variables in [settings.md](settings.md#variables-of-the-command-line).`;

/** The page about all commands. */
export async function cliPage(): Promise<string> {
	const program = await createProgram(fakeContext().context, ['', ...commandTable.map(({name}) => name)]);
	const shown = commandTable.filter(({section}) => section !== undefined);
	const topLevel = shown.map(({name}) => program.commands.find(command => command.name() === name) as Command);
	const sections = [...new Set(shown.map(({section = ''}) => section))];
	return page([
		'# Command line',
		generated,
		introduction,
		table(
			['Topic', 'Explains'],
			Object.entries(helpTopics).map(([name, {description}]) => [code(`tinbox help ${name}`), prose(description)]),
		),
		'## Commands',
		...sections.flatMap(section => [
			`### ${section.replace(/:$/, '')}`,
			table(
				['Command', 'Purpose'],
				topLevel
					.filter(command => command.helpGroup() === section)
					.flatMap(leaves)
					.map(indexRow),
			),
		]),
		conventions,
		'## Options of every command',
		optionTable(program.options),
		...topLevel.flatMap(command => chapter(command)),
	]);
}

/** The words that call a command. */
function nameOf(command: Command): string {
	return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

function leaves(command: Command): readonly Command[] {
	return command.commands.length > 0 ? command.commands.flatMap(leaves) : [command];
}

function indexRow(command: Command): readonly string[] {
	const name = nameOf(command);
	return [`[${code(name)}](#${anchor(name)})`, prose(command.description())];
}

/** A command, with its subcommands one level below it. */
function chapter(command: Command, level = '##'): ReadonlyArray<string | undefined> {
	const heading = `${level} ${nameOf(command)}`;
	if (command.commands.length === 0) {
		return [heading, ...commandSection(command)];
	}

	return [
		heading,
		prose(sentence(command.description())),
		...command.commands.flatMap(subcommand => chapter(subcommand, `${level}#`)),
	];
}

function commandSection(command: Command): ReadonlyArray<string | undefined> {
	const {examples, usage, notes} = helpParts(command);
	const shown = command.options.filter(({helpGroupHeading}) => helpGroupHeading !== 'Settings:');
	const isRequired = (argument: Argument) => usage.includes(`<${argument.name()}`);
	return [
		prose(sentence(command.description())),
		fence('text', [usage]),
		examples.length > 0 ? fence('sh', examples) : undefined,
		argumentTable(command.registeredArguments, isRequired),
		optionTable(shown),
		...shown.filter(hasManyValues).map(valueList),
		shown.length < command.options.length
			? 'Every [setting](settings.md) is also an option of this command.'
			: undefined,
		...notes,
	];
}

function argumentTable(all: readonly Argument[], isRequired: (argument: Argument) => boolean): string | undefined {
	return all.length === 0
		? undefined
		: table(
				['Argument', 'Default', 'Meaning'],
				all.map(argument => [
					code(isRequired(argument) ? argument.name() : `[${argument.name()}]`),
					defaultOf(argument),
					prose(argument.description),
				]),
			);
}

function optionTable(all: readonly Option[]): string | undefined {
	return all.length === 0
		? undefined
		: table(
				['Option', 'Default', 'Meaning'],
				all.map(option => [code(option.flags), defaultOf(option), meaningOf(option)]),
			);
}

function hasManyValues({long, argChoices = []}: Option): boolean {
	return long === '--json' || argChoices.length > maxValuesInTable;
}

function valueList({long, argChoices = []}: Option): string {
	return `${code(long ?? '')} ${long === '--json' ? 'fields' : 'values'}: ${codes(argChoices)}.`;
}

function meaningOf(option: Option): string {
	const {argChoices = [], description} = option;
	const values = argChoices.length > 1 ? 'values' : 'value';
	const meaning = prose(description.replace(defaultPattern, ''));
	return argChoices.length === 0 || hasManyValues(option) ? meaning : `${meaning} (${values}: ${codes(argChoices)})`;
}

/** A default that the help says in words. */
const defaultPattern = / \(default: ([^()]+)\)$/;

function defaultOf({defaultValue, defaultValueDescription, description}: Argument | Option): string {
	const documentedDefault = defaultPattern.exec(description)?.[1];
	const value = documentedDefault ?? defaultValueDescription ?? defaultValue;
	if (value === undefined || typeof value === 'boolean') {
		return '';
	}

	const isWords = /^[^"].* /.test(String(value));
	return isWords ? prose(String(value)) : code(String(value));
}

type HelpParts = {
	readonly examples: readonly string[];
	readonly usage: string;
	/** Notes after the options, in Markdown. */
	readonly notes: readonly string[];
};

/** The parts of `--help` around arguments and options. */
function helpParts(command: Command): HelpParts {
	let help = '';
	command.configureOutput({writeOut: text => (help += text), getOutHelpWidth: () => 100_000}).outputHelp();
	const [before = '', after = ''] = help.split(command.helpInformation());
	const examples = before.split('\n').filter(line => line.startsWith('  '));
	const usage = `${nameOf(command)} ${command.usage()}`;
	return {
		examples: examples.map(line => line.slice(2)),
		usage: command.options.length > 0 ? usage : usage.replace(' [options]', ''),
		notes: notesIn(after),
	};
}

/** Rows of two columns become a table, indented lines and JSON a block of code, all else paragraphs. */
function notesIn(text: string): readonly string[] {
	const kinds = [
		{pattern: /^(?: {2})?(\S.*?) {2,}(\S.*)$/, render: listOf},
		{pattern: /^(?: {2}|\{)/, render: codeOf},
		{pattern: /\S/, render: (lines: readonly string[]) => prose(lines.join(' '))},
	];
	const notes: string[] = [];
	for (const paragraph of text.split(/\n{2,}/)) {
		let lines = paragraph.split('\n').filter(line => line.trim() !== '');
		while (lines.length > 0) {
			const kind = kinds.find(({pattern}) => pattern.test(lines[0] ?? ''));
			const end = lines.findIndex(line => kinds.find(({pattern}) => pattern.test(line)) !== kind);
			const own = end === -1 ? lines : lines.slice(0, end);
			notes.push(kind?.render(own) ?? '');
			lines = lines.slice(own.length);
		}
	}

	return notes;
}

function listOf(lines: readonly string[]): string {
	const rows = lines.map(line => /^(?: {2})?(\S.*?) {2,}(\S.*)$/.exec(line)?.slice(1) ?? []);
	return table(
		['Name', 'Meaning'],
		rows.map(([name = '', meaning = '']) => [code(name), prose(meaning)]),
	);
}

function codeOf(lines: readonly string[]): string {
	return fence(
		lines.some(line => line.includes('tinbox ')) ? 'sh' : 'text',
		lines.map(line => line.replace(/^ {2}/, '')),
	);
}
