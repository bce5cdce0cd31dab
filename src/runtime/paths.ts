import {homedir, hostname, userInfo} from 'node:os';
import path from 'node:path';
import {processBirth} from '../lib/io/process-lock.js';
import {temporaryRoot} from '../lib/io/temporary-folders.js';

/** Locations of the files of one tinbox. */
export type Paths = {
	/** Settings and credentials of the CLI (mode 0600). */
	readonly settingsFile: string;
	/** Store, unless `--data-dir` is set. */
	readonly dataDir: string;
	/** State of the running daemon, by which the CLI finds it. */
	readonly stateFile: string;
	/** Lock for starting and stopping a daemon and for storing credentials. */
	readonly startLock: string;
	readonly logFile: string;
	/** Certificate authorities for other programs, one folder each. */
	readonly trustDir: string;
};

/**
 * Resolves the locations: below `TINBOX_HOME` if set, else in the XDG base directories, on every system. Relative paths
 * start at the working directory.
 */
export function resolvePaths(env: NodeJS.ProcessEnv): Paths {
	const home = env['TINBOX_HOME'];
	const under = (variable: string, fallback: string, own: string) =>
		home ? path.resolve(home, own) : path.resolve(env[variable] || path.join(homeFolder(), fallback), 'tinbox');
	const config = under('XDG_CONFIG_HOME', '.config', 'config');
	const state = under('XDG_STATE_HOME', '.local/state', 'state');
	return {
		settingsFile: path.join(config, 'config.json'),
		dataDir: under('XDG_DATA_HOME', '.local/share', 'data'),
		stateFile: path.join(state, 'daemon.json'),
		startLock: path.join(state, 'lock'),
		logFile: path.join(state, 'daemon.log'),
		trustDir: path.join(state, 'trust'),
	};
}

const folderVariables = ['TINBOX_HOME', 'HOME', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME'];

/** Variables from which a process with another working directory resolves the same paths. */
export function absoluteFolders(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
	return Object.fromEntries(folderVariables.flatMap(name => (env[name] ? [[name, path.resolve(env[name])]] : [])));
}

/**
 * Home folder; an empty HOME counts as unset. A user without a home, as in a container, gets the root folder and then an
 * error that it is not writable.
 */
function homeFolder(): string {
	try {
		return homedir() || userInfo().homedir;
	} catch {
		return '/';
	}
}

/** Home of the private daemon that runs as long as the given process. */
export function privateHome(pid: number, birth: string): string {
	return path.join(temporaryRoot(), `tinbox-while-${machine()}-${pid}-${word(birth)}`);
}

/**
 * True for the home of a private daemon whose process has ended. False for processes of other machines or containers, which
 * are unknown here.
 */
export function isAbandonedHome(home: string): boolean {
	const [, host, pid] = /^tinbox-while-(\w*)-(\d+)-\w*$/.exec(path.basename(home)) ?? [];
	const current = privateHome(Number(pid), processBirth(Number(pid)) ?? '');
	return host === machine() && path.basename(home) !== path.basename(current);
}

function machine(): string {
	return word(hostname());
}

function word(text: string): string {
	return text.replace(/\W/g, '');
}
