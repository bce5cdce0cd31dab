import {createClient} from '../client/index.js';
import {readState} from '../runtime/state-file.js';
import type {Context} from './context.js';
import {Exit, exitCodes} from './exit.js';
import {localConnections} from './local-connections.js';
import {profileConnections} from './profile-connections.js';
import {chosenProfile} from './profiles.js';

/** How commands reach a daemon, and as whom. */
export type Connections = Pick<Context, 'api' | 'account' | 'operator' | 'access' | 'remoteUrl'>;

/** What connections are made of. */
export type Ground = Pick<Context, 'env' | 'paths' | 'daemon'>;

/**
 * By `TINBOX_URL`; else as the chosen profile says; else to the daemon of this machine, as the local user. When the address
 * is that of this machine's daemon, everything can be done as usual.
 */
export function chooseConnections(ground: Ground): Connections {
	const url = ground.env['TINBOX_URL'];
	if (url) {
		const isLocal = readState(ground.paths.stateFile)?.url === url;
		return isLocal ? localConnections(ground) : remoteConnections(url, ground.env);
	}

	const chosen = chosenProfile(ground);
	return chosen ? profileConnections(chosen, ground) : localConnections(ground);
}

/** To the daemon at `TINBOX_URL`, with the credentials in the environment and no others. */
function remoteConnections(url: string, env: NodeJS.ProcessEnv): Connections {
	const withToken = async () => createClient({url, token: env['TINBOX_TOKEN'] || missing('TINBOX_TOKEN')});
	return {
		api: async () => createClient({url, apiKey: env['TINBOX_API_KEY'] || missing('TINBOX_API_KEY')}),
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

function missing(variable: string): never {
	throw new Exit(exitCodes.denied, 'unauthorized', `TINBOX_URL is set, but ${variable} is not.`, {
		hint: `Set ${variable} to one for that daemon, or unset TINBOX_URL to use the daemon of this machine.`,
	});
}
