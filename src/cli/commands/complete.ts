import type {Command} from 'commander';
import {sanitizeLine} from '../../lib/text/sanitize.js';
import {type BashLine, bashReply, parseBashLine} from '../completion/bash.js';
import {type Completion, complete} from '../completion/complete.js';
import {liveNames} from '../completion/live.js';
import type {Context} from '../context.js';
import {createProgram} from '../program.js';

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
