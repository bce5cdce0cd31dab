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

/** Daemon with an API key of its user. */
export type FoundDaemon = {
	readonly url: string;
	readonly apiKey: string;
	/** SMTP address, if the daemon reports another one. */
	readonly smtp?: HostPort;
};

/**
 * Finds the daemon of `TINBOX_URL` and `TINBOX_API_KEY`. Without them, uses the running daemon of this machine if it may be shared.
 * Otherwise starts a private daemon, which stops with the test run or, in the scope `worker`, with this process.
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
		return daemonAt(process.env) ?? runDaemonCommand(['status'], process.env);
	}

	const pid = scope === 'shared' ? await runPid() : process.pid;
	const env = {TINBOX_HOME: privateHome(pid, processBirth(pid) ?? '')};
	const started = daemonAt(env);
	if (!started && noStart) {
		throw new Error(
			'No tinbox daemon is running, and TINBOX_NO_START prevents starting one. Start a daemon: tinbox daemon start',
		);
	}

	return started ?? runDaemonCommand(['start', '--until-exit', String(pid)], env);
}

/** SMTP address from the environment. Set by `tinbox run`, and by users whose container ports are mapped. */
function exportedSmtp(): Pick<FoundDaemon, 'smtp'> {
	const {SMTP_HOST: host, SMTP_PORT: port} = process.env;
	return host && port && /^\d{1,5}$/.test(port) ? {smtp: {host, port: Number(port)}} : {};
}

/**
 * Process id of the test run. Test runners use child processes, threads, or the main process for their workers. If the run was
 * killed, the worker has another parent, which may never exit.
 */
async function runPid(): Promise<number> {
	// The global `process` of Jest is a copy.
	const real: NodeJS.Process = process.getBuiltinModule('node:vm').runInThisContext('process');
	const {ppid, pid, send} = real;
	if (!isMainThread || send === undefined) {
		return pid;
	}

	// A process closes its channels before its children get another parent. The next turn of the event loop notices that.
	await nextTurn();
	return real.connected ? ppid : fail('the test run has ended.');
}

/** Waits for the event loop. Fake timers replace the global `setImmediate`. */
async function nextTurn(): Promise<void> {
	const {setImmediate} = process.getBuiltinModule('node:timers/promises');
	await setImmediate();
	await setImmediate();
}

/** Running daemon of this environment; undefined without a daemon or without an API key. */
function daemonAt(env: NodeJS.ProcessEnv): FoundDaemon | undefined {
	const {stateFile, settingsFile} = resolvePaths(env);
	const state = readState(stateFile);
	const apiKey = state && readSettingsFile(settingsFile).credentials?.[state.data_dir]?.apiKey;
	return state && apiKey !== undefined ? {url: state.url, apiKey} : undefined;
}

/** Runs `tinbox daemon <words>`, which starts the daemon or creates an API key, and returns the daemon. */
async function runDaemonCommand(words: readonly string[], env: NodeJS.ProcessEnv): Promise<FoundDaemon> {
	const args = [createRequire(`${import.meta.dirname}/`).resolve('#bin'), 'daemon', ...words, '--format', 'env'];
	// Jest gives tests a copy of the environment.
	const options = {env: {...process.env}, windowsHide: true};
	await promisify(execFile)(process.execPath, args, options).catch(error =>
		fail(error.stderr?.trim() || error.message),
	);
	return daemonAt(env) ?? fail('the daemon exited.');
}

function fail(why: string): never {
	throw new Error(`Cannot use tinbox in these tests: ${why}`);
}
