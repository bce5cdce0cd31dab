import type {Command, Option} from 'commander';
import type {DaemonSettings} from '../../config/settings.js';
import type {NodeBody} from '../../contract/daemon.js';
import {fieldsOf, nodeFields} from '../../contract/field-names.js';
import {hostPort} from '../../lib/io/hosts.js';
import {withLock} from '../../lib/io/process-lock.js';
import {removeTemporaryFolder} from '../../lib/io/temporary-folders.js';
import {readableLogLine} from '../../lib/log.js';
import {plainLine} from '../../lib/text/sanitize.js';
import type {Paths} from '../../runtime/paths.js';
import {type DaemonState, readState} from '../../runtime/state-file.js';
import {connectionEnv, makeCredentials} from '../connect/credentials.js';
import {type Context, whileVariable} from '../context.js';
import {addDaemonFlags, closeToOthers, daemonFlags, explainListenError, settingsIn} from '../control/settings.js';
import {ensureDaemon, followLog, lastLines, restartDaemon, stopDaemon, withDaemonWhile} from '../control/start.js';
import {untilSignal} from '../control/until-signal.js';
import {localOperator} from '../create-context.js';
import {
	addExamples,
	addHelpNote,
	countOption,
	type EnvFlag,
	envOption,
	type JsonFields,
	type JsonFlag,
	jsonOption,
	parsedOption,
} from '../options.js';
import {Exit, exitCodes} from '../output/exit.js';
import {describeFailure} from '../output/failure.js';
import {note, printExports, printJson, printJsonList, printProperties} from '../output/print.js';
import {printTable, type TableColumn, timeColumn} from '../output/table.js';

export function addDaemonCommands(daemon: Command, context: Context): void {
	addStart(daemon, context);
	addRun(daemon, context);
	addStop(daemon, context);
	addRestart(daemon, context);
	addStatus(daemon, context);
	addLogs(daemon, context);
}

type StateBody = Omit<DaemonState, 'birth' | 'settings' | 'owner'>;

const fields = fieldsOf<StateBody>()('pid version url https_url smtp smtps domain data_dir store');

/** Output flags for the state of the daemon. `env` creates an API key of the local user if there is none. */
type StateFlags = JsonFlag & EnvFlag;

function addStateFlags(command: Command, otherFields: readonly string[] = []): Command {
	return command
		.addOption(jsonOption([...new Set([...fields, ...otherFields])]))
		.addOption(envOption('print the connection variables'));
}

async function printState({io, paths}: Context, state: DaemonState, {json, format}: StateFlags): Promise<void> {
	const {pid, version, url, https_url, smtp, smtps, domain, data_dir, store = null} = state;
	if (json) {
		printJson(io, {pid, version, url, https_url, smtp, smtps, domain, data_dir, store}, json);
	} else if (format === 'env') {
		const {apiKey} = await makeCredentials(state, paths);
		printExports(io, connectionEnv(state, apiKey));
	} else {
		printProperties(io, {
			pid,
			version,
			smtp: hostPort(smtp),
			...(smtps && {smtps: hostPort(smtps)}),
			url,
			...(https_url !== null && {https_url}),
			domain,
			data_dir,
			...(store !== null && {store}),
		});
	}
}

const columns: readonly TableColumn<NodeBody>[] = [
	{header: 'NODE', value: node => node.name, flexible: true},
	{header: 'ADDRESS', value: node => node.address, flexible: true},
	{header: 'STATE', value: node => node.state},
	timeColumn('HEARTBEAT', node => node.heartbeat_at),
	timeColumn('SINCE', node => node.since),
	{header: 'WAITS', value: node => String(node.waits)},
	{header: 'SESSIONS', value: node => String(node.sessions)},
	{header: 'VERSION', value: node => node.version, optional: true},
	{header: 'ID', value: node => node.id, optional: true},
];

/** Prints the nodes that share the store with this daemon. */
async function printNodes(context: Context, state: DaemonState, json: JsonFields): Promise<void> {
	const body = await localOperator(state).nodes.list();
	await (json ? printJsonList(context.io, body, body.nodes, json) : printTable(context, columns, body.nodes));
}

type LogsFlags = {readonly lines: number; readonly follow?: boolean};

function addLogs(daemon: Command, context: Context): void {
	const command = daemon.command('logs').description('print the last lines of the daemon log');
	addHelpNote(
		command,
		'On a pipe, each line is a JSON object. The log is also available after the daemon has stopped.',
	);
	addExamples(command, 'tinbox daemon logs -f', 'tinbox daemon logs -n 200 | jq \'select(.level == "error")\'')
		.addOption(countOption('-n, --lines <number>', 'number of lines').default(50))
		.option('-f, --follow', 'keep printing new lines')
		.action(async (flags: LogsFlags) => printLog(flags, context));
}

async function printLog({lines: count, follow}: LogsFlags, context: Context): Promise<void> {
	const {io, paths} = context;
	const lines = lastLines(paths.logFile, count);
	if (!lines && !follow) {
		note(io, `The log ${paths.logFile} is empty.`);
	}

	for (const line of lines ?? []) {
		print(line, context);
	}

	if (follow) {
		await untilSignal(async ended => {
			for await (const line of followLog(paths.logFile, ended)) {
				print(line, context);
			}
		});
	}
}

function print(line: string, {io: {stdout}}: Context): void {
	stdout.write(`${stdout.isTTY ? readable(line) : plainLine(line)}\n`);
}

/** Formats a log line. Lines that are not JSON come from Node.js itself, for example a stack trace. */
function readable(line: string): string {
	try {
		return readableLogLine(JSON.parse(line));
	} catch {
		return plainLine(line);
	}
}

function addRun(daemon: Command, context: Context): void {
	const command = daemon.command('run').description('run the daemon in the foreground and log to stderr');
	addDaemonFlags(addStateFlags(command)).action(async (flags: StateFlags) => {
		const {report, env, paths} = context;
		const settings = settingsIn(env, paths, daemonFlags(flags));
		// Hides the arguments from other users, because they may contain a password.
		process.title = 'tinbox-daemon';
		await (report ? runLaunched(settings, report, context) : runInForeground(settings, flags, context));
	});
}

/** Runs a daemon launched by `daemon start`, which holds the lock and waits for the report. */
async function runLaunched(
	settings: DaemonSettings,
	report: NonNullable<Context['report']>,
	{env, paths}: Context,
): Promise<void> {
	const {TINBOX_HOME: home, [whileVariable]: owner} = env;
	try {
		const {runDaemon} = await import('../../daemon/start.js');
		const others = owner ? {endsWith: JSON.parse(owner)} : {};
		const run = runDaemon(settings, {logFile: paths.logFile, ready: state => report({ready: state}), ...others});
		// Removes the home before a failure is reported: other launchers may be waiting to use the same home.
		await (owner && home ? run.finally(async () => removeTemporaryFolder(home)) : run);
	} catch (error) {
		const explained = await explainListenError(error, settings);
		const {code, message, hint} = describeFailure(explained);
		await report({error: {code, message, hint}});
		throw explained;
	}
}

async function runInForeground(settings: DaemonSettings, outputFlags: StateFlags, context: Context): Promise<void> {
	const {stateFile, startLock} = context.paths;
	await closeToOthers(context);
	let interrupted = false;
	const interrupt = () => {
		interrupted = true;
	};
	process.once('SIGINT', interrupt);
	const {runDaemon} = await import('../../daemon/start.js');
	const {state, ended} = await withLock(startLock, async () => {
		assertNotRunning(stateFile);
		return startAndWait(ready => runDaemon(settings, {ready}));
	}).catch(async error => {
		throw await explainListenError(error, settings);
	});
	await printState(context, state, outputFlags);
	await ended;
	process.off('SIGINT', interrupt);
	if (interrupted) {
		// Dies by the signal, so that a surrounding shell loop also ends.
		process.kill(process.pid, 'SIGINT');
	}
}

type StartedDaemon = {readonly state: DaemonState; readonly ended: Promise<void>};

/** Resolves when `work` calls `ready`. Rejects if `work` fails before that. */
async function startAndWait(work: (ready: (state: DaemonState) => void) => Promise<void>): Promise<StartedDaemon> {
	return new Promise((resolve, reject) => {
		const ended = work(state => resolve({state, ended}));
		ended.catch(reject);
	});
}

function assertNotRunning(stateFile: string): void {
	const running = readState(stateFile);
	if (running) {
		throw new Exit(exitCodes.failed, 'already_running', `A daemon is already running (process ${running.pid}).`, {
			hint: 'Stop it with "tinbox daemon stop". To run a second daemon, set TINBOX_HOME to another folder.',
		});
	}
}

function addStart(daemon: Command, context: Context): void {
	const command = daemon.command('start').description('start the daemon in the background unless it is running');
	addDaemonFlags(addStateFlags(command))
		.addOption(pidOption())
		.action(async ({untilExit: pid, ...flags}: StateFlags & {readonly untilExit?: number}) => {
			const own = daemonFlags(flags);
			if (pid !== undefined) {
				const print = async (state: DaemonState, paths: Paths) => printState({...context, paths}, state, flags);
				// An interruption in between would leave a home without the daemon that removes it.
				await untilSignal(async () => withDaemonWhile(pid, context, own, print));
				return;
			}

			const {state, isNew} = await ensureDaemon(context, own);
			if (!isNew) {
				note(context.io, 'The daemon is already running.');
			}

			await printState(context, state, flags);
		});
}

function pidOption(): Option {
	return parsedOption(
		'--until-exit <pid>',
		'run a private daemon on free ports until this process exits',
		text => (/^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined),
		'It must be a process id. For the process of the shell: --until-exit $$',
	);
}

function addStop(daemon: Command, context: Context): void {
	daemon
		.command('stop')
		.description('stop the daemon gracefully')
		.action(async () => {
			const {io, paths} = context;
			await withLock(paths.startLock, async () => {
				const state = readState(paths.stateFile);
				if (isOwnedByRun(state, context)) {
					return;
				}

				if (state) {
					await stopDaemon(state, context);
					note(io, 'Stopped the daemon. Its mail is kept.');
				} else {
					note(io, 'No daemon is running.');
				}
			});
		});
}

function addRestart(daemon: Command, context: Context): void {
	const command = daemon.command('restart').description('restart the daemon; flags override its current settings');
	addDaemonFlags(addStateFlags(command)).action(async (flags: StateFlags) => {
		const running = readState(context.paths.stateFile);
		const state = isOwnedByRun(running, context) ? running : await restartDaemon(context, daemonFlags(flags));
		await printState(context, state, flags);
	});
}

/** Checks whether the daemon belongs to `tinbox run`, and prints a note if so. Only "tinbox run" stops it. */
function isOwnedByRun(state: DaemonState | undefined, {io}: Pick<Context, 'io'>): state is DaemonState {
	if (state?.owner !== 'run') {
		return false;
	}

	note(io, `This daemon belongs to "tinbox run" (process ${state.pid}), which stops it when its command ends.`);
	return true;
}

function addStatus(daemon: Command, context: Context): void {
	const status = daemon.command('status').description('show the state and addresses of the daemon');
	addHelpNote(status, 'The exit code is 0 if the daemon is running, and 3 if not.');
	addStateFlags(status, nodeFields)
		.option('--nodes', 'list all daemons (nodes) that share the store')
		.action(async ({nodes, ...flags}: StateFlags & {readonly nodes?: true}) => {
			const state = readState(context.paths.stateFile);
			if (!state) {
				throw new Exit(exitCodes.noDaemon, 'no_daemon', 'No daemon is running.', {
					hint: 'Start it: tinbox daemon start',
				});
			}

			await (nodes ? printNodes(context, state, flags.json) : printState(context, state, flags));
		});
}
