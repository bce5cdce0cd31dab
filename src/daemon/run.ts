import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import type {DaemonSettings} from '../config/settings.js';
import {isUnavailable} from '../domain/errors.js';
import {StoreError} from '../lib/errors.js';
import {isAlive, type KnownProcess} from '../lib/process-lock.js';
import {resolvePaths} from '../runtime/paths.js';
import type {DaemonState} from '../runtime/state-file.js';
import {createLog, createLogFile} from './log.js';
import {startDaemon} from './start.js';

export type DaemonOptions = {
	/** Where the log goes; to stderr when there is none. */
	readonly logFile?: string;
	/** A process with which it ends, too. */
	readonly endsWith?: KnownProcess;
	/** Called once both listeners answer and the state file tells of it. */
	ready(state: DaemonState): void | Promise<void>;
};

/** How often it is looked whether the process runs with which the daemon ends. */
const lookAgainMs = 500;

/**
 * Runs the daemon in this process until SIGTERM or SIGINT, or until another process has ended, then lets it finish the mail in
 * flight; a second signal ends it at once. Rejects with the reason when it cannot start: another daemon has the data, a port is taken.
 */
export async function runDaemon(settings: DaemonSettings, {logFile, endsWith, ready}: DaemonOptions): Promise<void> {
	const log = createLog(logFile === undefined ? process.stderr : createLogFile(logFile));
	const end = Promise.race([nextSignal(), ...(endsWith === undefined ? [] : [endOf(endsWith)])]);
	const {state, stop} = await startDaemon(settings, resolvePaths(process.env).stateFile, log).catch(error => {
		throw isUnavailable(error)
			? new StoreError('The database became unavailable while this node started. Start the node again.')
			: error;
	});
	try {
		await ready(state);
		log.info(await end, 'Daemon stopping');
	} finally {
		await stop();
	}
}

/** The first signal to stop. Its handlers go with it, so that a second one takes its usual effect. */
async function nextSignal(): Promise<{readonly signal: NodeJS.Signals}> {
	const heard = new AbortController();
	const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
	const signal = await Promise.race(signals.map(name => once(process, name, {signal: heard.signal}).then(() => name)));
	heard.abort();
	return {signal};
}

/** Resolves when the process has ended, or if it is gone already. */
async function endOf(process: KnownProcess): Promise<{readonly ended: number}> {
	while (isAlive(process)) {
		// After a signal, this does not keep the daemon from ending.
		await sleep(lookAgainMs, undefined, {ref: false});
	}

	return {ended: process.pid};
}
