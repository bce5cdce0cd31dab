import {ApiError} from '../client/errors.js';
import {createClient} from '../client/index.js';
import {type Credentials, readSettingsFile} from '../config/settings-file.js';
import {type DaemonState, readState} from '../runtime/state-file.js';
import type {Connections, Ground} from './connections.js';
import {operatorToken} from './operator-token.js';
import {localProfile} from './profiles.js';

/** How long a token for one command has to live, in seconds. */
const tokenLifetime = 300;

/** To the daemon of this machine, as the local user unless the environment says otherwise. */
export function localConnections({env, paths, daemon}: Ground): Connections {
	const {TINBOX_API_KEY: apiKey, TINBOX_TOKEN: token} = env;
	const renewed = async (state: DaemonState, refused?: Credentials) => {
		const {makeCredentials} = await import('./local-user.js');
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
		const issue = async ({userId}: Credentials) => (await users.createToken(userId, {expires_in: tokenLifetime})).token;
		const kept = await credentials(state);
		return issue(kept).catch(async error => {
			if (error instanceof ApiError && error.status === 404) {
				return issue(await renewed(state, kept));
			}

			throw error;
		});
	};
	return {
		async api() {
			const state = await daemon();
			return createClient({
				// What runs for long finds a daemon that was started again, unless somebody said where it has to be.
				get url() {
					return env['TINBOX_URL'] || (readState(paths.stateFile) ?? state).url;
				},
				...(apiKey ? {apiKey} : await keptKey(state)),
			});
		},
		async account() {
			const state = await daemon();
			return createClient({url: state.url, token: token || (await issueToken(state))});
		},
		operator: async () => localOperator(await daemon()),
		async access() {
			const state = await daemon();
			return {
				url: state.url,
				profile: localProfile,
				apiKey: apiKey || (await credentials(state)).apiKey,
				token: token || null,
			};
		},
		remoteUrl: () => undefined,
	};
}

/** Whoever can read the daemon's own token is its operator, whatever else the environment holds. */
export function localOperator({url, data_dir}: Pick<DaemonState, 'url' | 'data_dir'>) {
	return createClient({url, token: operatorToken(data_dir)});
}
