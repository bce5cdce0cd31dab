import {mkdir, writeFile} from 'node:fs/promises';
import path from 'node:path';
import {createClient} from '../../client/index.js';
import {defaultSettings, resolveSettings} from '../../config/settings.js';
import {readSettingsFile} from '../../config/settings-file.js';
import {resolvePaths} from '../../runtime/paths.js';
import {connectionEnv} from '../connection-env.js';
import type {Context} from '../context.js';
import {makeCredentials} from '../local-user.js';

/** A tinbox that nobody else knows of, in this process and in a home of its own: it cannot outlive the process. */
export type OwnDaemon = {
	/** What it is reached by, and the address of a first inbox. */
	readonly env: Readonly<Record<string, string>>;
	stop(): Promise<void>;
};

/** Starts it on free ports, with the user's settings in all else. */
export async function startOwnDaemon(home: string, {env, paths}: Pick<Context, 'env' | 'paths'>): Promise<OwnDaemon> {
	const own = resolvePaths({TINBOX_HOME: home});
	const settings = resolveSettings({
		flags: {smtpPort: '0', httpPort: '0', dataDir: own.dataDir},
		env,
		file: readSettingsFile(paths.settingsFile),
		defaults: defaultSettings(own.dataDir),
	});
	await preferFreePorts(own.settingsFile);
	await mkdir(path.dirname(own.logFile), {recursive: true, mode: 0o700});
	const [{startDaemon}, {createLog}, {createLogFile}] = await Promise.all([
		import('../../daemon/start.js'),
		import('../../daemon/log.js'),
		import('../../daemon/log-file.js'),
	]);
	const {state, stop} = await startDaemon(settings, own.stateFile, createLog(createLogFile(own.logFile)));
	try {
		const {apiKey} = await makeCredentials(state, own);
		const {email_address} = await createClient({url: state.url, apiKey}).inboxes.create();
		return {env: {TINBOX_HOME: home, ...connectionEnv(state, apiKey), TINBOX_ADDRESS: email_address}, stop};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** For whoever reads kept mail: the daemon that is started then takes nobody's ports. */
async function preferFreePorts(settingsFile: string): Promise<void> {
	await mkdir(path.dirname(settingsFile), {recursive: true, mode: 0o700});
	await writeFile(settingsFile, JSON.stringify({daemon: {smtpPort: 0, httpPort: 0}}), {mode: 0o600});
}
