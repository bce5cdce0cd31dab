import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {writeFile} from 'node:fs/promises';
import {constants} from 'node:os';
import path from 'node:path';
import {type Command, InvalidArgumentError, Option} from 'commander';
import {apiClient} from '../../client/index.js';
import {type OtherProvider, otherProviders, sendEnv, smtpEnv} from '../../client/sending.js';
import {type DaemonFlags, defaultSettings} from '../../config/settings.js';
import type {CreateFault} from '../../contract/faults.js';
import {ensureDirectory, nodeFiles} from '../../lib/io/files.js';
import {removeTemporaryFolder} from '../../lib/io/temporary-folders.js';
import {shellQuote} from '../../lib/text/sanitize.js';
import {resolvePaths} from '../../runtime/paths.js';
import {connectionEnv, makeCredentials} from '../connect/credentials.js';
import type {Context, Io} from '../context.js';
import {clearHome, keepHome, makeHome, makeKeptHome} from '../control/run-home.js';
import {chosenSettings, daemonFlags} from '../control/settings.js';
import {addExamples, addHelpNote, faultOption, folderOption} from '../options.js';
import {Exit, exitCodes} from '../output/exit.js';
import {note} from '../output/print.js';
import {readPreset} from './fault-preset.js';

export function fillRun(command: Command, context: Context): void {
	// Flags after the first word belong to the user's command.
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
		.action(async (words: readonly string[], flags: RunFlags) => runWithPrivateDaemon(words, flags, context));
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

async function runWithPrivateDaemon(
	command: readonly string[],
	{keep, tls = false, fault = [], send = [], ...settings}: RunFlags,
	context: Context,
): Promise<void> {
	const faults = fault.map(readPreset);
	const home = await (keep === undefined ? makeHome() : makeKeptHome(keep));
	const options = {home, flags: daemonFlags(settings), tls, faults, send};
	const exitStatus = await runInside(command, options, context).catch(async error => {
		await (keep === undefined ? removeTemporaryFolder(home) : clearHome(home));
		throw error;
	});
	const isKept = keep !== undefined || (exitStatus.code !== 0 && !exitStatus.isInterrupted);
	await (isKept ? keepHome(home) : removeTemporaryFolder(home));
	exitLike(exitStatus, command[0] ?? '', isKept ? home : undefined, context);
}

async function runInside(
	command: readonly string[],
	options: PrivateDaemonOptions,
	context: Context,
): Promise<ExitStatus> {
	let daemon: PrivateDaemon | undefined;
	try {
		return await runChild(command, context.io, async () => {
			daemon = await startPrivateDaemon(options, context);
			return {...withoutConnectionVariables(context.env), ...daemon.env, ...(options.tls && (await daemon.trust()))};
		});
	} finally {
		await daemon?.stop();
	}
}

/** Exits with the status of the command, and reports the folder of kept mail. */
function exitLike({code, signal}: ExitStatus, program: string, home: string | undefined, {io}: Context): void {
	const place = home === undefined ? '' : ` The mail is kept in ${home}.`;
	const hint = home && `List its inboxes: tinbox inbox list --home ${shellQuote(home)}`;
	if (signal) {
		// Dies by the signal, so that a surrounding shell loop also ends. Some signals do not end Node.js; then it throws.
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

/** Exit status of the user's command. */
type ExitStatus = {
	/** Exit code; 128 plus the signal number if a signal ended the command, as in a shell. */
	readonly code: number;
	readonly signal: NodeJS.Signals | null;
	/** True if tinbox also received a signal. */
	readonly isInterrupted: boolean;
};

/** Signals that a terminal sends to all processes in the foreground. */
const typedSignals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGQUIT'];
const forwardedSignals: readonly NodeJS.Signals[] = [...typedSignals, 'SIGTERM', 'SIGHUP'];

/** Exit codes of shells. */
const cannotExecute = 126;
const commandNotFound = 127;

/**
 * Runs a command with the stdio of this process and forwards signals to it. `prepare` returns its environment; a signal
 * received before that cancels the start.
 */
async function runChild(
	[program = '', ...args]: readonly string[],
	io: Io,
	prepare: () => Promise<NodeJS.ProcessEnv>,
): Promise<ExitStatus> {
	const hasTerminal = [io.stdin, io.stdout, io.stderr].some(({isTTY}) => isTTY);
	let received: NodeJS.Signals | undefined;
	let forward = (_: NodeJS.Signals): unknown => undefined;
	const onSignal = (signal: NodeJS.Signals) => {
		received = signal;
		forward(signal);
	};
	for (const signal of forwardedSignals) {
		process.on(signal, onSignal);
	}

	try {
		const env = await prepare();
		if (received) {
			return exitStatus(null, received, true);
		}

		const child = spawn(program, args, {stdio: 'inherit', env});
		forward = signal => (hasTerminal && typedSignals.includes(signal)) || child.kill(signal);
		const [code, signal] = await once(child, 'exit');
		return exitStatus(code, signal, received !== undefined);
	} catch (error) {
		throw explainSpawnError(error, program);
	} finally {
		for (const signal of forwardedSignals) {
			process.off(signal, onSignal);
		}
	}
}

function exitStatus(code: number | null, signal: NodeJS.Signals | null, isInterrupted: boolean): ExitStatus {
	return {code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal, isInterrupted};
}

function explainSpawnError(error: unknown, program: string): unknown {
	if (!(error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn') && 'code' in error)) {
		return error;
	}

	return error.code === 'ENOENT'
		? new Exit(commandNotFound, 'command_not_found', `Command not found: ${program}`)
		: error.code === 'EACCES'
			? new Exit(cannotExecute, 'cannot_execute', `Permission denied: ${program}`)
			: new Exit(exitCodes.failed, 'system', `Cannot run "${program}": ${error.message}.`);
}

/** Daemon in this process, with a separate home. */
type PrivateDaemon = {
	/** Connection variables, and the address of an initial inbox. */
	readonly env: Readonly<Record<string, string>>;
	/** Variables that make programs trust the certificates of the daemon. */
	trust(): Promise<Readonly<Record<string, string>>>;
	stop(): Promise<void>;
};

type PrivateDaemonOptions = {
	readonly home: string;
	readonly flags: DaemonFlags;
	readonly tls: boolean;
	readonly faults: readonly CreateFault[];
	/** Sending APIs to set variables for. */
	readonly send: readonly OtherProvider[];
};

/** Send key that belongs to no inbox, so that mail is delivered to its recipients. */
const sharedSendKey = 'tinbox';

/**
 * Starts a daemon on free ports with these faults. All other settings come from the flags and the user's settings. TLS is off
 * by default, because several mail libraries use TLS whenever it is offered, and then fail on the unknown CA.
 */
async function startPrivateDaemon(
	{home, flags, tls, faults, send}: PrivateDaemonOptions,
	context: Context,
): Promise<PrivateDaemon> {
	const ownPaths = resolvePaths({TINBOX_HOME: home});
	const defaults = defaultSettings(ownPaths.dataDir);
	const settings = chosenSettings(
		context,
		{...flags, smtpPort: '0', httpPort: '0', dataDir: ownPaths.dataDir},
		tls ? defaults : {...defaults, tls: 'off'},
	);
	// A daemon that is later started in this home, to read kept mail, also uses free ports.
	await ensureDirectory(nodeFiles, path.dirname(ownPaths.settingsFile));
	await writeFile(ownPaths.settingsFile, JSON.stringify({daemon: {smtpPort: 0, httpPort: 0}}), {mode: 0o600});
	await ensureDirectory(nodeFiles, path.dirname(ownPaths.logFile));
	const [{startDaemon}, {createLog, createLogFile}] = await Promise.all([
		import('../../daemon/start.js'),
		import('../../daemon/log.js'),
	]);
	const log = createLog(createLogFile(ownPaths.logFile));
	const {state, stop} = await startDaemon(settings, ownPaths.stateFile, log, 'run');
	try {
		const {apiKey} = await makeCredentials(state, ownPaths);
		const client = apiClient({url: state.url, apiKey});
		const {id, email_address, smtp} = await client.inboxes.create();
		for (const fault of faults) {
			await client.faults.create(null, fault);
		}

		const login = settings.smtpAuth === 'inbox' && smtp ? smtpEnv(smtp) : {};
		const sendKey = settings.sendAuth === 'inbox' && smtp ? smtp.send_key : sharedSendKey;
		const sending = send.length > 0 ? sendEnv(send, state.url, sendKey) : {};
		const inbox = {TINBOX_ADDRESS: email_address, TINBOX_INBOX_ID: id};
		return {
			env: {TINBOX_HOME: home, ...connectionEnv(state, apiKey), ...login, ...sending, ...inbox},
			async trust() {
				const {authorityOf, trustEnv} = await import('../trust.js');
				return trustEnv(await authorityOf({api: async () => client}), context.env, ownPaths);
			},
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

type RunFlags = {
	readonly keep?: string;
	readonly catchAll?: boolean;
	readonly tls?: boolean;
	readonly fault?: readonly string[];
	readonly send?: readonly OtherProvider[];
};

/** Removes the variables that select another daemon for commands inside. */
function withoutConnectionVariables({
	TINBOX_TOKEN,
	TINBOX_PROFILE,
	TINBOX_DATA_DIR,
	...env
}: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
	return env;
}
