import type {Argument, Command, Option} from 'commander';
import {describeFault} from '../../client/faults.js';
import {readSettingsFile} from '../../config/settings-file.js';
import {latest} from '../../contract/constants.js';
import {faultPresets} from '../../contract/fault-presets.js';
import {sanitizeLine} from '../../lib/text/sanitize.js';
import {localProfile} from '../connect/profiles.js';
import type {Context} from '../context.js';
import {findInbox} from '../find.js';
import {createProgram} from '../program.js';

/** A line of bash up to the cursor. */
type BashLine = {
	/** The last one is being typed; it may be empty. */
	readonly words: readonly string[];
	/** The quote that is open at the cursor. */
	readonly quote: '"' | "'" | '';
	/** How many characters of the last word readline treats as words of their own. */
	readonly settled: number;
};

/** It ends a word and begins the next: after it readline would complete host names. */
const hostMark = '@';

/** Splits a line into words as bash does, without evaluating anything. `breaks` are its COMP_WORDBREAKS. */
export function parseBashLine(line: string, breaks: string): BashLine {
	const words: string[] = [];
	let word: string | undefined;
	let quote: BashLine['quote'] = '';
	let settled = 0;
	const characters = line[Symbol.iterator]();
	for (const character of characters) {
		if (quote === "'") {
			word += character === quote ? '' : character;
			quote = character === quote ? '' : quote;
		} else if (character === '\\') {
			word = (word ?? '') + unescaped(characters.next().value ?? '', quote);
		} else if (character === quote) {
			quote = '';
		} else if (quote === '' && (character === '"' || character === "'")) {
			quote = character;
			word ??= '';
		} else if (quote === '' && /\s/.test(character)) {
			words.push(...(word === undefined ? [] : [word]));
			word = undefined;
			settled = 0;
		} else {
			word = (word ?? '') + character;
			settled = quote === '' && breaks.includes(character) ? word.length - Number(character === hostMark) : settled;
		}
	}

	return {words: [...words, word ?? ''], quote, settled};
}

/** What bash must insert in place of its current word to get a value; undefined when the open quote cannot hold it. */
export function bashReply(value: string, {quote, settled}: BashLine): string | undefined {
	const rest = value.slice(settled);
	switch (quote) {
		case "'":
			return rest.includes("'") ? undefined : rest;
		case '"':
			return rest.replace(/[\\"$`]/g, '\\$&');
		default:
			return rest.replace(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
	}
}

function unescaped(character: string, quote: BashLine['quote']): string {
	const isPlain = quote === '' || (quote === '"' && /[\\"$`]/.test(character));
	return isPlain ? character : `\\${character}`;
}

type Suggestion = {readonly value: string; readonly description: string};

/** Suggestions for the last word; `files` lets the shell suggest file names. */
type Completion = readonly Suggestion[] | 'files';

/** Looks up names of existing things: `kind` is the argument's name in the help, `operands` are those before it. */
type NameSource = (kind: string, operands: readonly string[]) => Promise<readonly Suggestion[]>;

/** Where in the command tree the words before the last one lead. */
type Position = {
	readonly command: Command;
	readonly operands: readonly string[];
	/** An option whose value comes next. */
	readonly pending?: Option | undefined;
	/** Whether options may follow: not after `--`, nor after a word of the user's own command. */
	readonly isOpen: boolean;
};

/** The argument that is a command of the user's own. */
const ownCommand = 'command';

/** Stands in place of the first argument, which then is an empty operand. */
const inPlaceOfFirst = '--daemon';

const files = new Set(['file', 'path', ownCommand]);

/** Completes the last of the words after `tinbox`; none of them is ever evaluated. */
export async function complete(program: Command, words: readonly string[], live: NameSource): Promise<Completion> {
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

			if (word === inPlaceOfFirst && isOpen && command.registeredArguments.length > 0) {
				return {command, operands: ['', ...operands], isOpen};
			}

			if (isOpen && word.startsWith('-')) {
				return {command, operands, isOpen: word !== '--', pending: withoutValue(word, command)};
			}

			const sub = operands.length === 0 ? command.commands.find(candidate => candidate.name() === word) : undefined;
			const isOwn = command.registeredArguments[0]?.name() === ownCommand;
			return sub
				? {command: sub, operands, isOpen}
				: {command, operands: [...operands, word], isOpen: isOpen && !isOwn};
		},
		{command: program, operands: [], isOpen: true},
	);
}

/** The option that a word names, if the next word is its value. */
function withoutValue(word: string, command: Command): Option | undefined {
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

/** Its own options and `--help`, and those of the program that every command takes. */
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

/** The name of the value in the help: `inbox` in `<inbox...>`. */
function kindOf(of: Option | Argument): string {
	return 'flags' in of ? (/[<[]([^\].>]+)/.exec(of.flags)?.[1] ?? '') : of.name();
}

function isPrintable(value: string): boolean {
	return sanitizeLine(value) === value;
}

/** Maximum of suggestions of one kind; a list that fills the terminal several times helps nobody. */
const limit = 100;

/** Asks the daemon for the names. */
function liveNames({api, account, operator, paths}: Context): NameSource {
	const inboxes = async (): Promise<readonly Suggestion[]> => {
		const {inboxes: found} = await (await api()).inboxes.list({limit});
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
			const found = await client.messages.list((await findInbox(client, inbox)).id, {limit});
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
			const {deliveries} = await (await api()).webhooks.deliveries(endpoint, {limit});
			return deliveries.map(({id, status, created_at}) => ({value: id, description: `${status}, ${created_at}`}));
		},
		async team() {
			const teams = await (await account()).teams.list();
			return teams.map(({id, name}) => ({value: id, description: name}));
		},
		async member(team = '') {
			const {members} = await (await account()).teams.get(team);
			return members.map(({user_email, user_name, role}) => ({
				value: user_email,
				description: `${user_name}, ${role}`,
			}));
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
	/** In place of the words: a line of bash up to the cursor. */
	readonly bash?: string;
	/** Its COMP_WORDBREAKS. */
	readonly breaks: string;
};

/** How long somebody who pressed TAB waits for the daemon at most, in milliseconds. */
const deadlineMs = 300;

/** What tells the shell to offer files. */
const filesMark = ':files';

/** The hidden command that the scripts in `completions/` call. */
export function fillComplete(command: Command, context: Context): void {
	command
		.argument('[words...]', 'words of the command line; the last one is completed')
		.option('--bash <line>', 'bash command line, instead of the words')
		.option('--breaks <characters>', 'word breaks of bash', '')
		.action(async (words: readonly string[], flags: CompleteFlags) => printCompletions(words, flags, context));
}

/** Prints one suggestion a line, its description after a tab. Starts no daemon, and is silent when something fails. */
async function printCompletions(
	words: readonly string[],
	{bash, breaks}: CompleteFlags,
	context: Context,
): Promise<void> {
	const line = bash === undefined ? undefined : parseBashLine(bash, breaks);
	const typed = line ? afterCommand(line) : words;
	const program = await createProgram(context, typed);
	// Nothing was printed by then, so nothing is cut off.
	const late = setTimeout(() => context.exit(), deadlineMs);
	try {
		context.env['TINBOX_NO_START'] = '1';
		const found = await complete(program, typed, liveNames(context));
		context.io.stdout.write(
			suggestions(found, line)
				.map(text => `${text}\n`)
				.join(''),
		);
	} catch {
		// The user is typing: a message would land in the middle of the line.
	} finally {
		clearTimeout(late);
	}
}

/** Without variables set in front of the command, and its name. */
function afterCommand({words}: BashLine): readonly string[] {
	return words.slice(words.findIndex(word => !/^\w+=/.test(word)) + 1);
}

function suggestions(found: Completion, line: BashLine | undefined): readonly string[] {
	if (found === 'files') {
		return [filesMark];
	}

	return line
		? found.flatMap(({value}) => bashReply(value, line) ?? [])
		: found.map(({value, description}) => `${value}\t${sanitizeLine(description)}`);
}
