import {settingsToKeep} from '../config/resolve-settings.js';
import type {DaemonSettings} from '../config/settings.js';
import {SettingError} from '../config/settings-file.js';
import {hostPort} from '../lib/hosts.js';
import {startAll} from '../lib/lifecycle.js';
import type {Log} from '../lib/log.js';
import {processBirth} from '../lib/process-lock.js';
import {withoutPassword} from '../lib/read-url.js';
import {version} from '../lib/version.js';
import {type DaemonState, removeState, writeState} from '../runtime/state-file.js';
import {assemble} from './assemble.js';
import {openResources} from './resources.js';

/**
 * Starts a daemon in this process: both of its listeners answer, and the state file tells of it, until `stop` has let it
 * finish the mail in flight. Rejects with the reason when it cannot start: another one has the data, a port is taken,
 * settings contradict each other.
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
