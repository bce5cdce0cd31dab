import {once} from 'node:events';
import {setTimeout as sleep} from 'node:timers/promises';
import {type DaemonSettings, defaultSettings, settingsToKeep} from '../config/settings.js';
import {SettingError} from '../config/settings-file.js';
import {isUnavailable} from '../domain/errors.js';
import {StoreError} from '../lib/errors.js';
import {hostPort} from '../lib/io/hosts.js';
import {isAlive, type KnownProcess, processBirth} from '../lib/io/process-lock.js';
import {startAll} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import {withoutPassword} from '../lib/text/url.js';
import {version} from '../lib/version.js';
import {resolvePaths} from '../runtime/paths.js';
import {type DaemonState, removeState, writeState} from '../runtime/state-file.js';
import {assemble} from './assemble.js';
import {createLog, createLogFile} from './log.js';
import {openResources} from './resources.js';

/**
 * Starts a daemon in this process and writes the state file. `stop` finishes mail in transit first. Rejects if another
 * daemon uses the data, a port is taken, or settings contradict each other.
 */
export async function startDaemon(settings: DaemonSettings, stateFile: string, log: Log, owner?: DaemonState['owner']) {
	if (settings.authNeedsTls && settings.tls === 'off') {
		throw new SettingError('With --auth-needs-tls and --tls off, no client can log in. Remove one of them.');
	}

	const {parts, addresses} = assemble(settings, await openResources(settings, log));
	const stopParts = await startAll(parts);
	const {url, httpsUrl, smtp, smtps} = addresses();
	const state: DaemonState = {
		pid: process.pid,
		birth: processBirth(process.pid) ?? '',
		version,
		url,
		https_url: httpsUrl,
		smtp,
		smtps,
		domain: settings.domain,
		data_dir: settings.dataDir,
		store: settings.store && withoutPassword(settings.store),
		settings: settingsToKeep(settings),
		owner,
	};
	const stop = async () => {
		await removeState(stateFile, state);
		await stopParts();
		log.info({}, 'Daemon stopped');
	};
	try {
		await writeState(stateFile, state);
	} catch (error) {
		await stop();
		throw error;
	}

	log.info(
		{pid: process.pid, url, smtp: hostPort(smtp), smtps: smtps && hostPort(smtps), dataDir: settings.dataDir},
		'Daemon started',
	);
	return {state, stop};
}

type DaemonOptions = {
	/** Log file; stderr if absent. */
	readonly logFile?: string;
	/** Process whose end also ends the daemon. */
	readonly endsWith?: KnownProcess;
	/** Called when the listeners accept connections and the state file is written. */
	ready(state: DaemonState): void | Promise<void>;
};

/** Interval of the check for the end of that process. */
const lookAgainMs = 500;

/**
 * Runs the daemon until SIGTERM, SIGINT or the end of another process, then finishes mail in transit. A second signal ends
 * it immediately. Rejects if it cannot start.
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

/** Waits for the first signal. Its handlers are then removed, so that a second signal has its default effect. */
async function nextSignal(): Promise<{readonly signal: NodeJS.Signals}> {
	const heard = new AbortController();
	const signals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT'];
	const signal = await Promise.race(signals.map(name => once(process, name, {signal: heard.signal}).then(() => name)));
	heard.abort();
	return {signal};
}

/** Resolves when the process has ended. */
async function endOf(process: KnownProcess): Promise<{readonly ended: number}> {
	while (isAlive(process)) {
		// Unreferenced, so that it does not delay the end of the daemon after a signal.
		await sleep(lookAgainMs, undefined, {ref: false});
	}

	return {ended: process.pid};
}

/**
 * Serves the data of a stopped daemon read-only, on a free port of this machine, until `stop`. The clock stands at `at`:
 * nothing expires, and no webhook or mail is processed. Rejects if a daemon uses the data.
 */
export async function serveStopped(dataDir: string, at: Date, log: Log) {
	const settings = {...defaultSettings(dataDir), httpPort: 0, tls: 'off' as const};
	const {http, readingParts} = assemble(settings, {...(await openResources(settings, log)), now: () => at});
	const stop = await startAll(readingParts);
	return {url: http.url, stop};
}
