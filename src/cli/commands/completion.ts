import {readFile} from 'node:fs/promises';
import {createRequire} from 'node:module';
import {Argument, type Command, type Option} from 'commander';
import {describeFault} from '../../client/faults.js';
import {readSettingsFile} from '../../config/settings-file.js';
import {latest} from '../../contract/constants.js';
import {faultPresets} from '../../contract/fault-presets.js';
import {sanitizeLine} from '../../lib/text/sanitize.js';
import {localProfile} from '../connect/profiles.js';
import type {Context} from '../context.js';
import {findInbox} from '../find.js';
import {addExamples, addHelpNote} from '../options.js';
import {createProgram} from '../program.js';

export function fillCompletion(command: Command, {io}: Context): void {
	addHelpNote(command, 'Completes commands, flags, their values, and the names of inboxes and messages.');
	addExamples(
		command,
		'source <(tinbox completion bash)  # in ~/.bashrc',
		'source <(tinbox completion zsh)   # in ~/.zshrc, after compinit',
		'tinbox completion fish > ~/.config/fish/completions/tinbox.fish',
	)
		.addArgument(new Argument('<shell>', 'shell').choices(Object.keys(completionFiles)))
		.action(async (shell: Shell) => {
			const file = createRequire(import.meta.url).resolve(`#completions/${completionFiles[shell]}`);
			io.stdout.write(await readFile(file, 'utf8'));
		});
}

/** Defines the hidden command that the scripts in `completions/` call. */
export function fillComplete(command: Command, context: Context): void {
	command
		.argument('[words...]', 'words of the command line; the last one is completed')
		.option('--bash <line>', 'bash command line, instead of the words')
		.option('--breaks <characters>', 'word breaks of bash', '')
		.action(async (words: readonly string[], flags: CompleteFlags) => printCompletions(words, flags, context));
}

/** Prints one suggestion per line, with its description after a tab. Starts no daemon and prints no errors. */
async function printCompletions(words: readonly string[], flags: CompleteFlags, context: Context): Promise<void> {
	const line = flags.bash === undefined ? undefined : parseBashLine(flags.bash, flags.breaks);
	const typed = line ? wordsAfterCommand(line) : words;
	const program = await createProgram(context, typed);
	// Suggestions are printed all at once, so that the timeout cannot truncate them.
	const late = setTimeout(() => context.exit(), timeoutMs);
	try {
		context.env['TINBOX_NO_START'] = '1';
		const found = await complete(program, typed, daemonNames(context));
		const lines = formatCompletion(found, line).map(text => `${text}\n`);
		context.io.stdout.write(lines.join(''));
	} catch {
		// An error message would appear in the middle of the command line.
	} finally {
		clearTimeout(late);
	}
}

/** Files in `completions/`, by shell. */
export const completionFiles = {bash: 'tinbox.bash', zsh: '_tinbox', fish: 'tinbox.fish'} as const;

type Shell = keyof typeof completionFiles;

/** Bash command line up to the cursor. */
type BashLine = {
	/** Words of the line; the last one is incomplete and may be empty. */
	readonly words: readonly string[];
	/** Open quote at the cursor. */
	readonly quote: '"' | "'" | '';
	/** Length of the prefix of the last word that readline treats as separate words. */
	readonly settledLength: number;
};

/** Readline treats this word break as part of the next word, and completes host names after it. */
const hostBreak = '@';

/** Splits a line into words like bash, without evaluating it. `breaks` is the value of COMP_WORDBREAKS. */
export function parseBashLine(line: string, breaks: string): BashLine {
	const words: string[] = [];
	let word: string | undefined;
	let quote: BashLine['quote'] = '';
	let settledLength = 0;
	const characters = line[Symbol.iterator]();
	for (const character of characters) {
		if (quote === "'") {
			word += character === quote ? '' : character;
			quote = character === quote ? '' : quote;
		} else if (character === '\\') {
			word = (word ?? '') + unescapeCharacter(characters.next().value ?? '', quote);
		} else if (character === quote) {
			quote = '';
		} else if (quote === '' && (character === '"' || character === "'")) {
			quote = character;
			word ??= '';
		} else if (quote === '' && /\s/.test(character)) {
			words.push(...(word === undefined ? [] : [word]));
			word = undefined;
			settledLength = 0;
		} else {
			word = (word ?? '') + character;
			settledLength =
				quote === '' && breaks.includes(character) ? word.length - Number(character === hostBreak) : settledLength;
		}
	}

	return {words: [...words, word ?? ''], quote, settledLength};
}

/** Replacement for bash's current word that results in the value; undefined if the open quote cannot contain it. */
export function bashReply(value: string, {quote, settledLength}: BashLine): string | undefined {
	const rest = value.slice(settledLength);
	switch (quote) {
		case "'":
			return rest.includes("'") ? undefined : rest;
		case '"':
			return rest.replace(/[\\"$`]/g, '\\$&');
		default:
			return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
	}
}

function unescapeCharacter(character: string, quote: BashLine['quote']): string {
	const isPlain = quote === '' || (quote === '"' && /[\\"$`]/.test(character));
	return isPlain ? character : `\\${character}`;
}

type Suggestion = {readonly value: string; readonly description: string};

/** Suggestions for the last word; with `files`, the shell suggests file names. */
type Completion = readonly Suggestion[] | 'files';

/** Looks up names of existing objects. `kind` is the argument name in the help; `operands` are the previous ones. */
type NameSource = (kind: string, operands: readonly string[]) => Promise<readonly Suggestion[]>;

/** Position in the command tree after all words but the last. */
type Position = {
	readonly command: Command;
	readonly operands: readonly string[];
	/** Option that expects a value. */
	readonly pending?: Option | undefined;
	/** False after `--` and after the first word of the user's command: no options follow. */
	readonly isOpen: boolean;
};

/** Name of the argument that is a command of the user. */
const userCommandArgument = 'command';

/** Flag that replaces the first argument; the operand is then empty. */
const inboxReplacement = '--daemon';

const files = new Set(['file', 'path', userCommandArgument]);

/** Completes the last word after `tinbox`. Words are never evaluated. */
async function complete(program: Command, words: readonly string[], live: NameSource): Promise<Completion> {
	const current = words.at(-1) ?? '';
	const found = await suggestionsFor(current, locate(program, words.slice(0, -1)), live);
	return found === 'files' ? found : found.filter(({value}) => value.startsWith(current) && isPrintable(value));
}

function locate(program: Command, words: readonly string[]): Position {
	return words.reduce<Position>(
		({command, operands, pending, isOpen}, word) => {
			if (pending) {
				return {command, operands, isOpen, pending: pending.variadic ? pending : undefined};
			}

			if (word === inboxReplacement && isOpen && command.registeredArguments.length > 0) {
				return {command, operands: ['', ...operands], isOpen};
			}

			if (isOpen && word.startsWith('-')) {
				return {command, operands, isOpen: word !== '--', pending: pendingOption(word, command)};
			}

			const sub = operands.length === 0 ? command.commands.find(candidate => candidate.name() === word) : undefined;
			const isOwn = command.registeredArguments[0]?.name() === userCommandArgument;
			return sub
				? {command: sub, operands, isOpen}
				: {command, operands: [...operands, word], isOpen: isOpen && !isOwn};
		},
		{command: program, operands: [], isOpen: true},
	);
}

/** Option of a word, if the next word is its value. */
function pendingOption(word: string, command: Command): Option | undefined {
	const option = optionsOf(command).find(({short, long}) => word === short || word === long);
	return option?.required ? option : undefined;
}

async function suggestionsFor(current: string, position: Position, live: NameSource): Promise<Completion> {
	const {command, operands, pending, isOpen} = position;
	if (pending) {
		return pending.variadic && current.startsWith('-') ? flags(command) : values(pending, operands, live);
	}

	const [, flag, before = ''] = /^(--[\w-]+=)(.*,)?/.exec(current) ?? [];
	if (isOpen && flag !== undefined) {
		const option = optionsOf(command).find(({long}) => `${long}=` === flag);
		const found = option ? await values(option, operands, live) : [];
		return found === 'files' ? [] : found.map(({value, description}) => ({value: flag + before + value, description}));
	}

	if (isOpen && current.startsWith('-')) {
		return flags(command);
	}

	const help = command.createHelp();
	const commands = operands.length === 0 ? help.visibleCommands(command) : [];
	if (commands.length > 0) {
		return commands.map(sub => ({value: sub.name(), description: sub.summary() || sub.description()}));
	}

	const {registeredArguments: declared} = command;
	const argument = declared[operands.length] ?? declared.findLast(({variadic}) => variadic);
	return argument ? values(argument, operands, live) : [];
}

function flags(command: Command): readonly Suggestion[] {
	return optionsOf(command).flatMap(({long, description}) => (long ? [{value: long, description}] : []));
}

/** Visible options of the command, with `--help` and the global options. */
function optionsOf(command: Command): readonly Option[] {
	let program = command;
	while (program.parent) {
		program = program.parent;
	}

	const own = command.createHelp().visibleOptions(command);
	return program === command ? own : [...own, ...program.options.filter(({long}) => long !== '--version')];
}

async function values(of: Option | Argument, operands: readonly string[], live: NameSource): Promise<Completion> {
	if (of.argChoices) {
		return of.argChoices.map(value => ({value, description: ''}));
	}

	const kind = kindOf(of);
	return files.has(kind) ? 'files' : live(kind, operands);
}

/** Name of the value in the help, for example `inbox` for `<inbox...>`. */
function kindOf(of: Option | Argument): string {
	return 'flags' in of ? (/[<[]([^\].>]+)/.exec(of.flags)?.[1] ?? '') : of.name();
}

function isPrintable(value: string): boolean {
	return sanitizeLine(value) === value;
}

/** Maximum number of objects that are suggested. */
const maxSuggestions = 100;

/** Creates a source that reads names from the daemon. */
function daemonNames({api, account, operator, paths}: Context): NameSource {
	const inboxes = async (): Promise<readonly Suggestion[]> => {
		const {inboxes: found} = await (await api()).inboxes.list({limit: maxSuggestions});
		return found.flatMap(({id, email_address, name, message_count}) => [
			{value: email_address, description: `${message_count} messages`},
			...(name === null ? [] : [{value: name, description: email_address}]),
			{value: id, description: email_address},
		]);
	};
	const sources: Readonly<Record<string, (before: string | undefined) => Promise<readonly Suggestion[]>>> = {
		inbox: inboxes,
		inboxes,
		async message(inbox = '') {
			const client = await api();
			const found = await client.messages.list((await findInbox(client, inbox)).id, {limit: maxSuggestions});
			return [
				{value: latest, description: 'the newest message'},
				...found.map(({id, subject, from}) => ({value: id, description: `${subject} (${from})`})),
			];
		},
		async preset() {
			return Object.entries(faultPresets).map(([value, {description}]) => ({value, description}));
		},
		async fault(inbox = '') {
			const client = await api();
			const faults = await client.faults.list(inbox === '' ? null : (await findInbox(client, inbox)).id);
			return faults.map(fault => ({value: fault.name ?? fault.id, description: describeFault(fault)}));
		},
		async template(provider = '') {
			const {templates} = await (await api()).templates.list();
			const own = templates.filter(template => template.provider === provider);
			return own.map(({id, subject}) => ({value: id, description: subject ?? ''}));
		},
		async endpoint() {
			const {endpoints} = await (await api()).webhooks.list();
			return endpoints.map(({id, url}) => ({value: id, description: url}));
		},
		async delivery(endpoint = '') {
			const {deliveries} = await (await api()).webhooks.deliveries(endpoint, {limit: maxSuggestions});
			return deliveries.map(({id, status, created_at}) => ({value: id, description: `${status}, ${created_at}`}));
		},
		async team() {
			const teams = await (await account()).teams.list();
			return teams.map(({id, name}) => ({value: id, description: name}));
		},
		async member(team = '') {
			const {members} = await (await account()).teams.get(team);
			return members.map(member => ({value: member.user_email, description: `${member.user_name}, ${member.role}`}));
		},
		async key() {
			const client = await account();
			const [{keys}, {web_sessions}] = await Promise.all([client.keys.list(), client.webSessions.list()]);
			return [
				...keys.map(({id, name}) => ({value: id, description: name})),
				...web_sessions.map(({id, created_at}) => ({value: id, description: `web session, ${created_at}`})),
			];
		},
		async user() {
			const {users} = await (await operator()).users.list();
			return users.map(({email, name}) => ({value: email, description: name}));
		},
		async profile() {
			const {profiles = {}} = readSettingsFile(paths.settingsFile);
			return [localProfile, ...Object.keys(profiles)].map(value => ({value, description: 'login'}));
		},
	};
	return async (kind, operands) => sources[kind]?.(operands[0]) ?? [];
}

type CompleteFlags = {
	/** Bash line up to the cursor, instead of the words. */
	readonly bash?: string;
	/** Value of COMP_WORDBREAKS. */
	readonly breaks: string;
};

/** Timeout after a press of TAB, in milliseconds. */
const timeoutMs = 300;

/** Output that tells the completion script to offer files. */
const filesMarker = ':files';

/** Words after the command name, without leading variable assignments. */
function wordsAfterCommand({words}: BashLine): readonly string[] {
	return words.slice(words.findIndex(word => !/^\w+=/.test(word)) + 1);
}

function formatCompletion(found: Completion, line: BashLine | undefined): readonly string[] {
	if (found === 'files') {
		return [filesMarker];
	}

	return line
		? found.flatMap(({value}) => bashReply(value, line) ?? [])
		: found.map(({value, description}) => `${value}\t${sanitizeLine(description)}`);
}
