import {apiClient} from '../../client/index.js';
import {readState} from '../../runtime/state-file.js';
import type {ConnectionDeps, Connections} from '../context.js';
import {Exit, exitCodes} from '../output/exit.js';
import {apiUrl} from './api-url.js';
import {localConnections} from './local.js';
import {localOperator} from './operator.js';
import {chosenProfile, type NamedProfile} from './profiles.js';

/**
 * To the daemon at `TINBOX_URL`; else that of the chosen profile; else the one of this machine, as the local user. Where
 * `TINBOX_URL` is the address of this machine's daemon, nothing is lost by setting it.
 */
export function chooseConnections(deps: ConnectionDeps): Connections {
	const url = deps.env['TINBOX_URL'];
	if (url) {
		const address = apiUrl(url, 'TINBOX_URL');
		const {url: local, https_url = null} = readState(deps.paths.stateFile) ?? {};
		return [local, https_url].some(own => own && apiUrl(own, 'The state file') === address)
			? localConnections(deps)
			: remoteConnections(url, deps.env);
	}

	const chosen = chosenProfile(deps);
	return chosen ? profileConnections(chosen, deps) : localConnections(deps);
}

/** To the daemon at `TINBOX_URL`, with the credentials in the environment and no others. */
function remoteConnections(url: string, env: NodeJS.ProcessEnv): Connections {
	const withToken = async () => apiClient({url, token: env['TINBOX_TOKEN'] || missing('TINBOX_TOKEN')});
	return {
		api: async () => apiClient({url, apiKey: env['TINBOX_API_KEY'] || missing('TINBOX_API_KEY')}),
		account: withToken,
		operator: withToken,
		access: async () => ({
			url,
			profile: null,
			apiKey: env['TINBOX_API_KEY'] || null,
			token: env['TINBOX_TOKEN'] || null,
		}),
		remoteUrl: () => url,
	};
}

/** To the daemon of a profile, with the credentials of its login unless the environment says otherwise. */
function profileConnections({name, profile}: NamedProfile, {env, paths, daemon}: ConnectionDeps): Connections {
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

			const {makeProfileKey} = await import('./make-credentials.js');
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
