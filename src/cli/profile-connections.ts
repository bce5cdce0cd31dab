import {createClient} from '../client/index.js';
import type {Connections, Ground} from './connections.js';
import {localOperator} from './local-connections.js';
import type {NamedProfile} from './profiles.js';

/** To the daemon of a profile, with what a login kept unless the environment says otherwise. */
export function profileConnections({name, profile}: NamedProfile, {env, paths, daemon}: Ground): Connections {
	const token = env['TINBOX_TOKEN'] || profile.token;
	const apiKey = env['TINBOX_API_KEY'] || profile.apiKey;
	const url = async () => profile.url ?? (await daemon()).url;
	const account = async () => createClient({url: await url(), token});
	return {
		async api() {
			const address = await url();
			if (apiKey) {
				return createClient({url: address, apiKey});
			}

			const {makeProfileKey} = await import('./profile-key.js');
			return createClient({url: address, apiKey: await makeProfileKey(name, address, paths)});
		},
		account,
		operator: async () => (profile.url === undefined ? localOperator(await daemon()) : account()),
		access: async () => ({url: await url(), profile: name, apiKey: apiKey ?? null, token}),
		remoteUrl: () => profile.url,
	};
}
