import {writeFile} from 'node:fs/promises';
import path from 'node:path';
import {apiClient} from '../../client/index.js';
import {type OtherProvider, sendEnv} from '../../client/send-env.js';
import {smtpEnv} from '../../client/smtp-env.js';
import {type DaemonFlags, defaultSettings} from '../../config/settings.js';
import type {CreateFault} from '../../contract/faults.js';
import {ensureDirectory, nodeFiles} from '../../lib/io/files.js';
import {resolvePaths} from '../../runtime/paths.js';
import {connectionEnv, makeCredentials} from '../connect/make-credentials.js';
import type {Context} from '../context.js';
import {authorityOf} from '../trust/authority.js';
import {chosenSettings} from './settings.js';

/** A daemon in this process, with a home of its own: it cannot outlive the process. */
export type OwnDaemon = {
	/** The variables that lead to it, and the address of a first inbox. */
	readonly env: Readonly<Record<string, string>>;
	/** The variables by which programs trust its certificates besides what they trust now. */
	trust(): Promise<Readonly<Record<string, string>>>;
	stop(): Promise<void>;
};

export type OwnDaemonOptions = {
	readonly flags: DaemonFlags;
	readonly tls: boolean;
	readonly faults: readonly CreateFault[];
	/** The sending APIs whose variables are set. */
	readonly send: readonly OtherProvider[];
};

/** Sends to whom the recipients lead, as every key does that is no inbox's. */
const anyKey = 'tinbox';

/**
 * Starts it on free ports, otherwise with these flags and the user's settings, and has these faults. Where nothing is set it speaks TLS only if it is to:
 * several libraries use TLS wherever it is offered, and then ask for trust.
 */
export async function startOwnDaemon(
	home: string,
	{flags, tls, faults, send}: OwnDaemonOptions,
	context: Pick<Context, 'env' | 'paths'>,
): Promise<OwnDaemon> {
	const own = resolvePaths({TINBOX_HOME: home});
	const defaults = defaultSettings(own.dataDir);
	const settings = chosenSettings(
		context,
		{...flags, smtpPort: '0', httpPort: '0', dataDir: own.dataDir},
		tls ? defaults : {...defaults, tls: 'off'},
	);
	await preferFreePorts(own.settingsFile);
	await ensureDirectory(nodeFiles, path.dirname(own.logFile));
	const [{startDaemon}, {createLog, createLogFile}] = await Promise.all([
		import('../../daemon/start.js'),
		import('../../daemon/log.js'),
	]);
	const {state, stop} = await startDaemon(settings, own.stateFile, createLog(createLogFile(own.logFile)), 'run');
	try {
		const {apiKey} = await makeCredentials(state, own);
		const client = apiClient({url: state.url, apiKey});
		const {id, email_address, smtp} = await client.inboxes.create();
		for (const fault of faults) {
			await client.faults.create(null, fault);
		}

		const login = settings.smtpAuth === 'inbox' && smtp ? smtpEnv(smtp) : {};
		const sendKey = settings.sendAuth === 'inbox' && smtp ? smtp.send_key : anyKey;
		const sending = send.length > 0 ? sendEnv(send, state.url, sendKey) : {};
		const inbox = {TINBOX_ADDRESS: email_address, TINBOX_INBOX_ID: id};
		return {
			env: {TINBOX_HOME: home, ...connectionEnv(state, apiKey), ...login, ...sending, ...inbox},
			async trust() {
				const {trustEnv} = await import('../trust/trust-env.js');
				return trustEnv(await authorityOf({api: async () => client}), context.env, own);
			},
			stop,
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

/** A daemon that is started later, to read kept mail, takes free ports as well. */
async function preferFreePorts(settingsFile: string): Promise<void> {
	await ensureDirectory(nodeFiles, path.dirname(settingsFile));
	await writeFile(settingsFile, JSON.stringify({daemon: {smtpPort: 0, httpPort: 0}}), {mode: 0o600});
}
