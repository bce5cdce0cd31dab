import {once} from 'node:events';
import {type DaemonSettings, settingsToEnv} from '../config/settings.js';
import {startAll} from '../lib/lifecycle.js';
import {processBirth} from '../lib/process-birth.js';
import {version} from '../lib/version.js';
import {resolvePaths} from '../runtime/paths.js';
import {type DaemonState, removeState, writeState} from '../runtime/state-file.js';
import {assemble} from './assemble.js';
import {createLog} from './log.js';

export type DaemonHooks = {
	/** Called once both listeners answer and the state file tells of it. */
	ready(state: DaemonState): void | Promise<void>;
};

/**
 * Runs the daemon in this process until SIGTERM or SIGINT, then lets it finish the mail in flight; a second signal ends
 * it at once. Rejects with the reason when it cannot start: another daemon has the data, a port is taken. The log goes
 * to stderr.
 */
export async function runDaemon(settings: DaemonSettings, {ready}: DaemonHooks): Promise<void> {
	const log = createLog(process.stderr);
	const signal = nextSignal();
	const {parts, addresses} = await assemble(settings, log);
	const stop = await startAll(parts);
	const {stateFile} = resolvePaths(process.env);
	const {url, smtp} = addresses();
	const state: DaemonState = {
		pid: process.pid,
		birth: processBirth(process.pid) ?? '',
		version,
		url,
		smtp,
		domain: settings.domain,
		data_dir: settings.dataDir,
		settings: settingsToEnv(settings),
	};

	try {
		await writeState(stateFile, state);
		log.info({pid: process.pid, url, smtp: `${smtp.host}:${smtp.port}`, dataDir: settings.dataDir}, 'ready');
		await ready(state);
		log.info({signal: await signal}, 'stopping');
	} finally {
		await removeState(stateFile, state);
		await stop();
		log.info({}, 'stopped');
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
