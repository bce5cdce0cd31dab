import {execFile} from 'node:child_process';
import {createRequire} from 'node:module';
import {promisify} from 'node:util';
import {isMainThread} from 'node:worker_threads';
import {readSettingsFile} from '../config/settings-file.js';
import type {HostPort} from '../lib/io/hosts.js';
import {processBirth} from '../lib/io/process-lock.js';
import {privateHome, resolvePaths} from '../runtime/paths.js';
import {readState} from '../runtime/state-file.js';

/** Processes that share a daemon: all workers of a test run, or only the processes of one worker. */
export type DaemonScope = 'shared' | 'worker';

/** A daemon, and how its user is let in. */
export type FoundDaemon = {
	readonly url: string;
	readonly apiKey: string;
	/** Where mail is taken, if not where the daemon says. */
	readonly smtp?: HostPort;
};

/**
 * The daemon that `TINBOX_URL` and `TINBOX_API_KEY` name. Without them the one that runs on this machine, if it may be shared; else one of the
 * run's own, which is started when it is first asked for, and ends with the process that has it: the run, or this worker.
 */
export async function findDaemon(scope: DaemonScope): Promise<FoundDaemon> {
	if (scope !== 'shared' && scope !== 'worker') {
		throw new TypeError(`The daemon scope must be "shared" or "worker", got "${scope}".`);
	}

	const {TINBOX_URL: url, TINBOX_API_KEY: apiKey, TINBOX_NO_START: noStart} = process.env;
	if (url) {
		if (!apiKey) {
			throw new Error('TINBOX_URL is set, but TINBOX_API_KEY is not. Set it to an API key of that daemon.');
		}

		return {url, apiKey, ...exportedSmtp()};
	}

	if (scope === 'shared' && readState(resolvePaths(process.env).stateFile)) {
		return daemonAt(process.env) ?? askDaemon(['status'], process.env);
	}

	const pid = scope === 'shared' ? await runPid() : process.pid;
	const own = {TINBOX_HOME: privateHome(pid, processBirth(pid) ?? '')};
	const started = daemonAt(own);
	if (!started && noStart) {
		throw new Error(
			'No tinbox daemon is running, and TINBOX_NO_START prevents starting one. Start a daemon: tinbox daemon start',
		);
	}

	return started ?? askDaemon(['start', '--until-exit', String(pid)], own);
}

/** `tinbox run` sets these, and whoever knows where the ports of a container are mapped to. */
function exportedSmtp(): Pick<FoundDaemon, 'smtp'> {
	const {SMTP_HOST: host, SMTP_PORT: port} = process.env;
	return host && port && /^\d{1,5}$/.test(port) ? {smtp: {host, port: Number(port)}} : {};
}

/**
 * The process of the whole run. Test runners have their workers in child processes, or in threads, or do the work themselves. A worker whose
 * run was killed has another parent by then, which would never end.
 */
async function runPid(): Promise<number> {
	// In Jest, the global one is a copy, as is what it says of its parent.
	const real: NodeJS.Process = process.getBuiltinModule('node:vm').runInThisContext('process');
	const {ppid, pid, send} = real;
	if (!isMainThread || send === undefined) {
		return pid;
	}

	// A process closes what it has open before its children get another parent: by the next look of the event loop that is known.
	await nextTurn();
	return real.connected ? ppid : failed('the test run has ended.');
}

/** Not by the global function, which fake timers replace. */
async function nextTurn(): Promise<void> {
	const {setImmediate} = process.getBuiltinModule('node:timers/promises');
	await setImmediate();
	await setImmediate();
}

/** The daemon of this environment; undefined when none runs, or no command has made a key yet. */
function daemonAt(env: NodeJS.ProcessEnv): FoundDaemon | undefined {
	const {stateFile, settingsFile} = resolvePaths(env);
	const state = readState(stateFile);
	const apiKey = state && readSettingsFile(settingsFile).credentials?.[state.data_dir]?.apiKey;
	return state && apiKey !== undefined ? {url: state.url, apiKey} : undefined;
}

/** The same once the command line of this package has started it, one for all who ask, or has made a key. */
async function askDaemon(words: readonly string[], env: NodeJS.ProcessEnv): Promise<FoundDaemon> {
	const args = [createRequire(`${import.meta.dirname}/`).resolve('#bin'), 'daemon', ...words, '--format', 'env'];
	// The environment of the tests, which in Jest is not that of the process.
	const options = {env: {...process.env}, windowsHide: true};
	await promisify(execFile)(process.execPath, args, options).catch(error =>
		failed(error.stderr?.trim() || error.message),
	);
	return daemonAt(env) ?? failed('the daemon exited.');
}

function failed(why: string): never {
	throw new Error(`Cannot use tinbox in these tests: ${why}`);
}
