import {once} from 'node:events';
import type {DaemonSettings} from '../config/settings.js';
import {resolvePaths} from '../runtime/paths.js';
import type {DaemonState} from '../runtime/state-file.js';
import {createLog, createLogFile} from './log.js';
import {startDaemon} from './start.js';

export type DaemonOptions = {
	/** Where the log goes; to stderr when there is none. */
	readonly logFile?: string;
	/** Called once both listeners answer and the state file tells of it. */
	ready(state: DaemonState): void | Promise<void>;
};

/**
 * Runs the daemon in this process until SIGTERM or SIGINT, then lets it finish the mail in flight; a second signal ends
 * it at once. Rejects with the reason when it cannot start: another daemon has the data, a port is taken.
 */
export async function runDaemon(settings: DaemonSettings, {logFile, ready}: DaemonOptions): Promise<void> {
	const log = createLog(logFile === undefined ? process.stderr : createLogFile(logFile));
	const signal = nextSignal();
	const {state, stop} = await startDaemon(settings, resolvePaths(process.env).stateFile, log);
	try {
		await ready(state);
		log.info({signal: await signal}, 'stopping');
	} finally {
		await stop();
	}
}

/** The first signal to stop. Its handlers go with it, so that a second one takes its usual effect. */
async function nextSignal(): Promise<NodeJS.Signals> {
	const heard = new AbortController();
	const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
	const signal = await Promise.race(signals.map(name => once(process, name, {signal: heard.signal}).then(() => name)));
	heard.abort();
	return signal;
}
