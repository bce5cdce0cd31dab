import type {Command} from 'commander';
import {sanitizeLine} from '../../lib/sanitize.js';
import {type BashLine, bashReply, parseBashLine} from '../completion/bash.js';
import {type Completion, complete} from '../completion/complete.js';
import {liveNames} from '../completion/live.js';
import type {Context} from '../context.js';
import {createProgram} from '../program.js';

export type CompleteOptions = {
	/** Behind `tinbox`; the last one is being typed. */
	readonly words: readonly string[];
	/** In place of the words: a line of bash up to the cursor. */
	readonly bash?: string;
	/** Its COMP_WORDBREAKS. */
	readonly breaks: string;
};

/** How long somebody who pressed TAB waits at most. */
const deadlineMs = 300;

/** What tells the shell to offer files. */
const filesMark = ':files';

/** Declares what the completions in `completions/` call. */
export function fillComplete(command: Command, context: Context, run = runComplete): void {
	command
		.argument('[words...]', 'the words of the line, the last one to be completed')
		.option('--bash <line>', 'a line of bash in place of the words')
		.option('--breaks <characters>', 'what ends a word there', '')
		.action(async (words: readonly string[], flags: Omit<CompleteOptions, 'words'>) => run({words, ...flags}, context));
}

/** Prints a candidate a line, with a tab before its description. Starts nothing, and keeps silent when something is wrong. */
export async function runComplete({words, bash, breaks}: CompleteOptions, context: Context): Promise<void> {
	const line = bash === undefined ? undefined : parseBashLine(bash, breaks);
	// Nothing was printed by then, so nothing is cut off.
	const late = setTimeout(() => process.exit(), deadlineMs);
	try {
		context.env['TINBOX_NO_START'] = '1';
		const typed = line ? behindCommand(line) : words;
		const found = await complete(await createProgram(context, typed), typed, liveNames(context));
		context.io.stdout.write(line ? forBash(found, line) : forOthers(found));
	} catch {
		// The user is typing: an error would land in the middle of it.
	} finally {
		clearTimeout(late);
	}
}

/** Without the variables set for the command, and its name. */
function behindCommand({words}: BashLine): readonly string[] {
	return words.slice(words.findIndex(word => !/^\w+=/.test(word)) + 1);
}

function forBash(found: Completion, line: BashLine): string {
	return found === 'files' ? `${filesMark}\n` : lines(found.flatMap(({value}) => bashReply(value, line) ?? []));
}

function forOthers(found: Completion): string {
	return found === 'files'
		? `${filesMark}\n`
		: lines(found.map(({value, description}) => `${value}\t${sanitizeLine(description)}`));
}

function lines(texts: readonly string[]): string {
	return texts.map(text => `${text}\n`).join('');
}
