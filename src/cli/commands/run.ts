import {type Command, InvalidArgumentError, Option} from 'commander';
import {type OtherProvider, otherProviders} from '../../client/send-env.js';
import type {DaemonFlags} from '../../config/settings.js';
import type {CreateFault} from '../../contract/faults.js';
import {shellQuote} from '../../lib/text/sanitize.js';
import type {Context} from '../context.js';
import {type Ending, runChild} from '../control/child.js';
import {type OwnDaemon, startOwnDaemon} from '../control/own-daemon.js';
import {removeHome} from '../control/remove-home.js';
import {clearHome, keepHome, makeHome, makeKeptHome} from '../control/run-home.js';
import {addHelpNote} from '../help/layout.js';
import {addExamples, faultOption, folderOption} from '../options.js';
import {Exit} from '../output/exit.js';
import {note} from '../output/print.js';
import {daemonFlags} from './daemon/flags.js';
import {presetOf} from './faults/preset.js';

type RunFlags = {
	readonly keep?: string;
	readonly catchAll?: boolean;
	readonly tls?: boolean;
	readonly fault?: readonly string[];
	readonly send?: readonly OtherProvider[];
};

export function fillRun(command: Command, context: Context): void {
	// What follows the first word of the user's own command is its own, flags included.
	command.parent?.enablePositionalOptions();
	addExamples(command, 'tinbox run -- npm test', `tinbox run --catch-all --keep mail -- npm test`)
		.usage('[options] [--] <command>')
		.passThroughOptions()
		.argument('<command...>', 'command to run, with its arguments')
		.addOption(folderOption('--keep', 'keep the mail in this folder, even if the command succeeds'))
		.option('--catch-all', 'create a catch-all inbox for unknown recipients')
		.option('--tls', 'offer TLS and set trust variables (see "tinbox help tls")')
		.addOption(faultOption('add a preset fault for all mail; repeatable (see "tinbox help faults")'))
		.addOption(sendOption())
		.action(async (words: readonly string[], flags: RunFlags) => runWithOwnDaemon(words, flags, context));
	addHelpNote(
		command,
		`The command runs with a private daemon on free ports. These variables are set:

  SMTP_HOST, SMTP_PORT  where to send mail
  SMTP_TLS_PORT         SMTP port with implicit TLS (with --tls)
  TINBOX_URL            base URL of the API
  TINBOX_API_KEY        API key
  TINBOX_ADDRESS        address of the initial inbox
  TINBOX_INBOX_ID       id of that inbox

All tinbox commands inside the command use this daemon.

"tinbox run" exits with the exit code of the command, 127 if the command was not found, or 126 if it could not be executed. Afterwards, all data is removed, unless --keep is set or the command fails. After a failure without --keep, the mail is kept for a day, and stderr shows the folder.`,
	);
}

function sendOption(): Option {
	return new Option('--send <apis>', 'set variables for sending APIs, comma-separated (see "tinbox help sending")')
		.choices(otherProviders)
		.argParser(text =>
			text.split(',').map(name => {
				const known = otherProviders.find(one => one === name.trim());
				if (known === undefined) {
					throw new InvalidArgumentError(`Unknown sending API "${name}". The APIs are: ${otherProviders.join(', ')}.`);
				}

				return known;
			}),
		);
}

async function runWithOwnDaemon(
	command: readonly string[],
	{keep, tls = false, fault = [], send = [], ...settings}: RunFlags,
	context: Context,
): Promise<void> {
	const faults = fault.map(presetOf);
	const home = await (keep === undefined ? makeHome() : makeKeptHome(keep));
	const ending = await runInside({home, command, flags: daemonFlags(settings), tls, faults, send}, context).catch(
		async error => {
			await (keep === undefined ? removeHome(home) : clearHome(home));
			throw error;
		},
	);
	const isKept = keep !== undefined || (ending.code !== 0 && !ending.isInterrupted);
	await (isKept ? keepHome(home) : removeHome(home));
	endAs(ending, command, isKept ? home : undefined, context);
}

/** Ends as the command did, and says where the mail is kept, if it is. */
function endAs(
	{code, signal}: Ending,
	[program = '']: readonly string[],
	home: string | undefined,
	{io}: Context,
): void {
	const place = home === undefined ? '' : ` The mail is kept in ${home}.`;
	const hint = home && `List its inboxes: tinbox inbox list --home ${shellQuote(home)}`;
	if (signal) {
		// So that a loop in the user's shell ends, too. Some signals do not end Node.js.
		note(io, [`"${program}" was terminated by ${signal}.${place}`, hint].filter(Boolean).join(' '));
		process.kill(process.pid, signal);
		throw new Exit(code, 'command_failed', `The exit code is ${code}.`);
	}

	if (code !== 0) {
		throw new Exit(code, 'command_failed', `"${program}" failed with exit code ${code}.${place}`, {hint});
	}

	if (hint) {
		note(io, `${place.trim()} ${hint}`);
	}
}

type Run = {
	readonly home: string;
	readonly command: readonly string[];
	readonly flags: DaemonFlags;
	readonly tls: boolean;
	readonly faults: readonly CreateFault[];
	readonly send: readonly OtherProvider[];
};

async function runInside({home, command, flags, tls, faults, send}: Run, context: Context): Promise<Ending> {
	let daemon: OwnDaemon | undefined;
	try {
		return await runChild(command, context.io, async () => {
			daemon = await startOwnDaemon(home, {flags, tls, faults, send}, context);
			return {...withoutOthers(context.env), ...daemon.env, ...(tls && (await daemon.trust()))};
		});
	} finally {
		await daemon?.stop();
	}
}

/** Without the variables that would direct the commands inside to another daemon. */
function withoutOthers({TINBOX_TOKEN, TINBOX_PROFILE, TINBOX_DATA_DIR, ...env}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return env;
}
