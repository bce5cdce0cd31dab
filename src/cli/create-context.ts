import {readSettingsFile} from '../config/settings-file.js';
import {version} from '../lib/version.js';
import {resolvePaths} from '../runtime/paths.js';
import {type DaemonState, readState} from '../runtime/state-file.js';
import {type LocalUser, localConnections, remoteConnections} from './connections.js';
import {type Context, type Io, type LaunchReport, launchedVariable} from './context.js';
import {autoStart} from './control/auto-start.js';
import {makeCredentials} from './local-user.js';
import {note} from './output.js';

/** The real things; whatever takes time is made when first asked for. */
export function createContext(process: NodeJS.Process): Context {
	const {env, stdout, stderr} = process;
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

		return autoStart({io, env, paths});
	});
	const localUser: LocalUser = {
		credentials: async state =>
			readSettingsFile(paths.settingsFile).credentials?.[state.data_dir] ?? makeCredentials(state, paths),
		renewed: async (state, refused) => makeCredentials(state, paths, refused),
	};
	const url = env['TINBOX_URL'];
	return {
		io,
		env,
		paths,
		now: () => new Date(),
		daemon,
		...(url ? remoteConnections(url, env) : localConnections(daemon, env, localUser)),
		...(process.send && env[launchedVariable] && {report: (report: LaunchReport) => sendReport(process, report)}),
	};
}

function noteSkew(io: Io, state: DaemonState): void {
	if (state.version !== version) {
		note(io, `The daemon is tinbox ${state.version}, this is ${version}. To run the same: tinbox daemon restart`);
	}
}

/** Never rejects: a launcher that was interrupted does not keep the daemon from running. */
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
