import path from 'node:path';
import {ignoreNotFound, withoutLogin} from '../client/errors.js';
import {baseAddress} from '../client/exchange.js';
import {apiClient, type Client} from '../client/index.js';
import {readSettingsFile, type StoredCredentials} from '../config/settings-file.js';
import {causeOf} from '../lib/errors.js';
import {readPrivateFile} from '../lib/io/files.js';
import {readUrl} from '../lib/text/url.js';
import {version} from '../lib/version.js';
import {resolvePaths} from '../runtime/paths.js';
import {type DaemonState, readState} from '../runtime/state-file.js';
import {chosenProfile, localProfile, type NamedProfile} from './connect/profiles.js';
import {type ClientDeps, type Clients, type Context, type Io, type LaunchReport, launchedVariable} from './context.js';
import {Exit, exitCodes, usageError} from './output/exit.js';
import {note} from './output/print.js';

/** Creates the context of a process. Expensive parts are created on first use. */
export function createContext(process: NodeJS.Process): Context {
	const {stdout, stderr} = process;
	const env = {...process.env};
	const io: Io = {
		stdout,
		stderr,
		get stdin() {
			return process.stdin;
		},
	};
	const paths = resolvePaths(env);
	const daemon = once(async () => {
		const running = readState(paths.stateFile);
		if (!running) {
			const {autoStart} = await import('./control/start.js');
			return autoStart({io, env, paths});
		}

		if (running.version !== version) {
			const versions = `The daemon runs tinbox ${running.version}, but this command is ${version}.`;
			note(io, `${versions} Restart the daemon: tinbox daemon restart`);
		}

		return running;
	});
	// Chosen at each use, because `--profile` and `--home` change the environment.
	const clients = () => chooseClients({env, paths, daemon});
	return {
		io,
		env,
		paths,
		now: () => new Date(),
		exit: () => process.exit(),
		atEnd: [],
		daemon,
		api: async () => clients().api(),
		account: async () => clients().account(),
		operator: async () => clients().operator(),
		access: async () => clients().access(),
		remoteUrl: () => clients().remoteUrl(),
		...(process.send && env[launchedVariable] && {report: (report: LaunchReport) => sendReport(process, report)}),
	};
}

/** Normalizes the base URL of an API; adds `/v1` if it has no path. Throws a usage error that names `source` if it is invalid. */
export function apiUrl(text: string, source: string): string {
	const url = readUrl(text) ? baseAddress(text) : undefined;
	const hasMore = url && [url.username, url.password, url.search, url.hash].some(part => part !== '');
	if (!url || hasMore || !/^https?:$/.test(url.protocol)) {
		const shown = withoutLogin(text);
		const right = `the URL of a tinbox API such as http://127.0.0.1:8025/v1${shown === text ? '' : ', without user and password'}`;
		throw usageError(`${source} must be ${right}, got "${shown}".`);
	}

	return url.origin + url.pathname;
}

/** Client with the operator token of the local daemon, from a file in the data folder that only its owner can read. */
export function localOperator({url, data_dir}: Pick<DaemonState, 'url' | 'data_dir'>): Client {
	try {
		return apiClient({url, token: readPrivateFile(path.join(data_dir, 'operator-token')).trim()});
	} catch (error) {
		throw new Exit(exitCodes.denied, 'unauthorized', `Cannot read the operator token: ${causeOf(error)}.`, {
			hint: 'Ask the operator of the daemon for credentials, and set TINBOX_API_KEY and TINBOX_TOKEN.',
		});
	}
}

/** Lifetime of the token for one command, in seconds. */
const tokenLifetime = 300;

/** Clients for the local daemon, as the local user unless the environment has credentials. */
function localClients({env, paths, daemon}: ClientDeps): Clients {
	const {TINBOX_API_KEY: apiKey, TINBOX_TOKEN: token} = env;
	const renewed = async (state: DaemonState, refused?: StoredCredentials) => {
		const {makeCredentials} = await import('./connect/credentials.js');
		return makeCredentials(state, paths, refused);
	};
	const credentials = async (state: DaemonState) =>
		readSettingsFile(paths.settingsFile).credentials?.[state.data_dir] ?? renewed(state);
	const keptKey = async (state: DaemonState) => {
		const kept = await credentials(state);
		return {apiKey: kept.apiKey, renewApiKey: async () => (await renewed(state, kept)).apiKey};
	};
	const issueToken = async (state: DaemonState) => {
		const {users} = localOperator(state);
		const issue = async ({userId}: StoredCredentials) =>
			(await users.createToken(userId, {expires_in: tokenLifetime})).token;
		const kept = await credentials(state);
		return (await issue(kept).catch(ignoreNotFound)) ?? issue(await renewed(state, kept));
	};
	return {
		async api() {
			const state = await daemon();
			return apiClient({
				// Long-running commands follow a daemon that restarts on another port, unless TINBOX_URL is set.
				get url() {
					return env['TINBOX_URL'] || (readState(paths.stateFile) ?? state).url;
				},
				...(apiKey ? {apiKey} : await keptKey(state)),
			});
		},
		async account() {
			const state = await daemon();
			return apiClient({url: state.url, token: token || (await issueToken(state))});
		},
		operator: async () => localOperator(await daemon()),
		async access() {
			const state = await daemon();
			const {apiKey: usedKey} = apiKey ? {apiKey} : await credentials(state);
			return {url: state.url, profile: localProfile, apiKey: usedKey, token: token || null};
		},
		remoteUrl: () => undefined,
	};
}

/**
 * Clients for the daemon at `TINBOX_URL`, the daemon of the profile in use, or the local daemon, in this order. If `TINBOX_URL`
 * is the URL of the local daemon, it is used as the local user.
 */
export function chooseClients(deps: ClientDeps): Clients {
	const url = deps.env['TINBOX_URL'];
	if (!url) {
		const chosen = chosenProfile(deps);
		return chosen ? profileClients(chosen, deps) : localClients(deps);
	}

	const address = apiUrl(url, 'TINBOX_URL');
	const local = readState(deps.paths.stateFile);
	return [local?.url, local?.https_url].some(own => own && apiUrl(own, 'The state file') === address)
		? localClients(deps)
		: remoteClients(url, deps.env);
}

/** Clients for the daemon at `TINBOX_URL`, with credentials from the environment only. */
function remoteClients(url: string, env: NodeJS.ProcessEnv): Clients {
	const {TINBOX_API_KEY: apiKey, TINBOX_TOKEN: token} = env;
	const withToken = async () => apiClient({url, token: token || missing('TINBOX_TOKEN')});
	return {
		api: async () => apiClient({url, apiKey: apiKey || missing('TINBOX_API_KEY')}),
		account: withToken,
		operator: withToken,
		access: async () => ({url, profile: null, apiKey: apiKey || null, token: token || null}),
		remoteUrl: () => url,
	};
}

/** Clients for the daemon of a profile, with its credentials unless the environment has others. */
function profileClients({name, profile}: NamedProfile, {env, paths, daemon}: ClientDeps): Clients {
	const token = env['TINBOX_TOKEN'] || profile.token;
	const apiKey = env['TINBOX_API_KEY'] || profile.apiKey;
	const url = async () => profile.url ?? (await daemon()).url;
	const account = async () => apiClient({url: await url(), token});
	return {
		async api() {
			const address = await url();
			if (apiKey) {
				return apiClient({url: address, apiKey});
			}

			const {makeProfileKey} = await import('./connect/credentials.js');
			return apiClient({url: address, apiKey: await makeProfileKey(name, address, paths)});
		},
		account,
		operator: async () => (profile.url === undefined ? localOperator(await daemon()) : account()),
		access: async () => ({url: await url(), profile: name, apiKey: apiKey ?? null, token}),
		remoteUrl: () => profile.url,
	};
}

function missing(variable: string): never {
	throw new Exit(exitCodes.denied, 'unauthorized', `TINBOX_URL is set, but ${variable} is not.`, {
		hint: `Set ${variable} for that daemon, or unset TINBOX_URL to use the local daemon.`,
	});
}

/** Never rejects, because the daemon keeps running if its launcher was interrupted. */
async function sendReport(process: NodeJS.Process, report: LaunchReport): Promise<void> {
	await new Promise(resolve => process.send?.(report, resolve));
	if (process.connected) {
		process.disconnect();
	}
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return () => {
		made ??= make();
		return made;
	};
}
