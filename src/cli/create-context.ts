import {version} from '../lib/version.js';
import {resolvePaths} from '../runtime/paths.js';
import {type DaemonState, readState} from '../runtime/state-file.js';
import {chooseConnections} from './connect/connections.js';
import {type Context, type Io, type LaunchReport, launchedVariable} from './context.js';
import {note} from './output/print.js';

/** The context of a real process; whatever takes time is made on first use. */
export function createContext(process: NodeJS.Process): Context {
	const {stdout, stderr} = process;
	const env = {...process.env};
	const io: Io = {
		stdout,
		stderr,
		get stdin() {
			return process.stdin;
		},
	};
	const paths = resolvePaths(env);
	const daemon = once(async () => {
		const running = readState(paths.stateFile);
		if (running) {
			noteSkew(io, running);
			return running;
		}

		const {autoStart} = await import('./control/start.js');
		return autoStart({io, env, paths});
	});
	// Chosen on first use: by then the flags have been read.
	const connections = () => chooseConnections({env, paths, daemon});
	return {
		io,
		env,
		paths,
		now: () => new Date(),
		exit: () => process.exit(),
		atEnd: [],
		daemon,
		api: async () => connections().api(),
		account: async () => connections().account(),
		operator: async () => connections().operator(),
		access: async () => connections().access(),
		remoteUrl: () => connections().remoteUrl(),
		...(process.send && env[launchedVariable] && {report: (report: LaunchReport) => sendReport(process, report)}),
	};
}

function noteSkew(io: Io, state: DaemonState): void {
	if (state.version !== version) {
		note(
			io,
			`The daemon runs tinbox ${state.version}, but this command is ${version}. Restart the daemon: tinbox daemon restart`,
		);
	}
}

/** Never rejects: the daemon runs even if its launcher was interrupted. */
async function sendReport(process: NodeJS.Process, report: LaunchReport): Promise<void> {
	await new Promise(resolve => process.send?.(report, resolve));
	if (process.connected) {
		process.disconnect();
	}
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return () => {
		made ??= make();
		return made;
	};
}
