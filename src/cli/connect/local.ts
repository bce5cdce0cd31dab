import {ApiError} from '../../client/errors.js';
import {apiClient} from '../../client/index.js';
import {readSettingsFile, type StoredCredentials} from '../../config/settings-file.js';
import {type DaemonState, readState} from '../../runtime/state-file.js';
import type {ConnectionDeps, Connections} from '../context.js';
import {localOperator} from './operator.js';
import {localProfile} from './profiles.js';

/** Lifetime of a token that is made for one command, in seconds. */
const tokenLifetime = 300;

/** To the daemon of this machine, as the local user unless the environment says otherwise. */
export function localConnections({env, paths, daemon}: ConnectionDeps): Connections {
	const {TINBOX_API_KEY: apiKey, TINBOX_TOKEN: token} = env;
	const renewed = async (state: DaemonState, refused?: StoredCredentials) => {
		const {makeCredentials} = await import('./make-credentials.js');
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
			return apiClient({
				// A long-running command finds a daemon that was restarted elsewhere, unless TINBOX_URL fixes the address.
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
