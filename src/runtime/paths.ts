import {homedir, hostname, tmpdir, userInfo} from 'node:os';
import path from 'node:path';
import {processBirth} from '../lib/io/process-lock.js';

/** Where everything of one tinbox lives on disk. */
export type Paths = {
	/** Settings of the CLI, with the credentials it keeps (0600). */
	readonly settingsFile: string;
	/** The store, unless `--data-dir` says otherwise. */
	readonly dataDir: string;
	/** How a CLI finds the daemon. */
	readonly stateFile: string;
	/** Held while a daemon is started or stopped, or credentials are kept: by one process at a time. */
	readonly startLock: string;
	readonly logFile: string;
	/** What other programs read to trust the daemon's certificates, in a folder for each authority. */
	readonly trustDir: string;
};

/**
 * `TINBOX_HOME` puts everything under one folder; else the XDG base directories count, on every system. What is relative
 * starts at the working directory.
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

/** The variables from which a process with another working directory resolves the same paths. */
export function absoluteFolders(env: NodeJS.ProcessEnv): Readonly<Record<string, string>> {
	return Object.fromEntries(folderVariables.flatMap(name => (env[name] ? [[name, path.resolve(env[name])]] : [])));
}

/** An empty HOME counts as none. A user without a home in a container gets the root, and is told that it is not writable. */
function homeFolder(): string {
	try {
		return homedir() || userInfo().homedir;
	} catch {
		return '/';
	}
}

/** The home of the daemon that runs while this process does: whoever names the process finds it there. */
export function homeWhile(pid: number, birth: string): string {
	return path.join(tmpdir(), `tinbox-while-${machine()}-${pid}-${word(birth)}`);
}

/** Whether it is the home of such a daemon, whose process has ended. Nobody knows here of processes of another machine or container. */
export function isHomeOfEnded(home: string): boolean {
	const [, host, pid] = /^tinbox-while-(\w*)-(\d+)-\w*$/.exec(path.basename(home)) ?? [];
	return host === machine() && home !== homeWhile(Number(pid), processBirth(Number(pid)) ?? '');
}

function machine(): string {
	return word(hostname());
}

function word(text: string): string {
	return text.replace(/\W/g, '');
}
