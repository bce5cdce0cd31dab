import {once} from 'node:events';
import type {DaemonSettings} from '../config/settings.js';
import {StoreError} from '../lib/errors.js';
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
 * How long a node may take to start. Its database can go away meanwhile, and what asked it may never hear of that. Files have no
 * such limit: to read very many of them takes its time.
 */
const nodeStartMs = 45_000;

/** What does not end may keep the process: it has so long to tell why. */
const lastWordsMs = 1000;

/**
 * Runs the daemon in this process until SIGTERM or SIGINT, then lets it finish the mail in flight; a second signal ends
 * it at once. Rejects with the reason when it cannot start: another daemon has the data, a port is taken.
 */
export async function runDaemon(settings: DaemonSettings, {logFile, ready}: DaemonOptions): Promise<void> {
	const log = createLog(logFile === undefined ? process.stderr : createLogFile(logFile));
	const signal = nextSignal();
	const starting = startDaemon(settings, resolvePaths(process.env).stateFile, log);
	const end = () => setTimeout(() => process.exit(), lastWordsMs);
	const {state, stop} = await (settings.store === null ? starting : startInTime(starting, nodeStartMs, end));
	try {
		await ready(state);
		log.info({signal: await signal}, 'stopping');
	} finally {
		await stop();
	}
}

/** Throws `StoreError` and calls `end` when the start takes longer than `ms`. */
export async function startInTime<T>(starting: Promise<T>, ms: number, end: () => void): Promise<T> {
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		timer = setTimeout(() => {
			reject(new StoreError('The database went away while this node started. Start it again.'));
			end();
		}, ms);
	});
	return Promise.race([starting, late]).finally(() => clearTimeout(timer));
}

/** The first signal to stop. Its handlers go with it, so that a second one takes its usual effect. */
async function nextSignal(): Promise<NodeJS.Signals> {
	const heard = new AbortController();
	const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
	const signal = await Promise.race(signals.map(name => once(process, name, {signal: heard.signal}).then(() => name)));
	heard.abort();
	return signal;
}
