import {type DaemonFlags, defaultSettings} from '../../config/settings.js';
import {hostPort} from '../../lib/io/hosts.js';
import {withLock} from '../../lib/io/process-lock.js';
import {type Paths, resolvePaths} from '../../runtime/paths.js';
import {type DaemonState, readState} from '../../runtime/state-file.js';
import {type Context, whileVariable} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';
import {note} from '../output/print.js';
import {launch} from './launch.js';
import {inHomeWhile} from './run-home.js';
import {assertSameSettings, chosenSettings, closeToOthers, settingsOf} from './settings.js';
import {stopDaemon} from './stop.js';

type Needs = Pick<Context, 'io' | 'env' | 'paths'>;

/** A daemon that runs, and whether it was started for this. */
type Ensured = {readonly state: DaemonState; readonly isNew: boolean};

/** Starts a daemon unless one runs. Of many starts at once, one does the work and the others find its daemon. */
export async function ensureDaemon(
	context: Needs,
	flags: DaemonFlags,
	settings = chosenSettings(context, flags),
): Promise<Ensured> {
	const {stateFile, startLock} = context.paths;
	await closeToOthers(context);
	return withLock(startLock, async () => {
		const running = readState(stateFile);
		if (running) {
			assertSameSettings(running, flags);
			return {state: running, isNew: false};
		}

		return {state: await launch(context, settings), isNew: true};
	});
}

/**
 * The same with a daemon of its own, on free ports, that ends with this process and leaves nothing: one for all who name it. It speaks no
 * TLS unless it is set to, as that of `tinbox run`. `use` gets the paths of its home; what it makes there goes as well.
 */
export async function withDaemonWhile(
	pid: number,
	context: Needs,
	flags: DaemonFlags,
	use: (state: DaemonState, paths: Paths) => Promise<void>,
): Promise<void> {
	await inHomeWhile(pid, async (home, owner) => {
		const paths = resolvePaths({TINBOX_HOME: home});
		const settings = chosenSettings(
			context,
			{smtpPort: '0', httpPort: '0', dataDir: paths.dataDir, ...flags},
			{...defaultSettings(paths.dataDir), tls: 'off'},
		);
		const env = {...context.env, TINBOX_HOME: home, [whileVariable]: JSON.stringify(owner)};
		const {state} = await ensureDaemon({...context, env, paths}, flags, settings);
		await use(state, paths);
	});
}

/** Replaces the running daemon, if any, by a new one; settings without a flag stay as they were. */
export async function restartDaemon(context: Needs, flags: DaemonFlags): Promise<DaemonState> {
	const {stateFile, startLock} = context.paths;
	await closeToOthers(context);
	return withLock(startLock, async () => {
		const running = readState(stateFile);
		const settings = chosenSettings(context, flags, running && settingsOf(running));
		if (running) {
			await stopDaemon(running, context);
		}

		return launch(context, settings);
	});
}

/** Starts a daemon for a command that needs one, and says so; `TINBOX_NO_START` forbids it. */
export async function autoStart(context: Needs): Promise<DaemonState> {
	if (context.env['TINBOX_NO_START']) {
		const message = 'No tinbox daemon is running, and TINBOX_NO_START prevents starting one.';
		throw new Exit(exitCodes.noDaemon, 'no_daemon', message, {hint: 'Start a daemon: tinbox daemon start'});
	}

	const {state, isNew} = await ensureDaemon(context, {}).catch(error => {
		throw error instanceof Exit && error.exitCode === exitCodes.failed
			? new Exit(exitCodes.noDaemon, error.code, error.message, error)
			: error;
	});
	if (isNew) {
		const place = `SMTP ${hostPort(state.smtp)}, API ${state.url}`;
		note(context.io, `Started a tinbox daemon: ${place}. Stop it: tinbox daemon stop`);
	}

	return state;
}
