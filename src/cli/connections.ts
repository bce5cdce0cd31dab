import {ApiError} from '../client/errors.js';
import {type Client, createClient} from '../client/index.js';
import type {Credentials} from '../config/settings-file.js';
import type {DaemonState} from '../runtime/state-file.js';
import type {Context} from './context.js';
import {Exit, exitCodes} from './exit.js';
import {operatorToken} from './operator-token.js';

type Connections = Pick<Context, 'api' | 'account' | 'operator'>;

/** To the daemon at `TINBOX_URL`, with the credentials in the environment. */
export function remoteConnections(url: string, env: NodeJS.ProcessEnv): Connections {
	const withToken = async () => createClient({url, token: env['TINBOX_TOKEN'] || missing('TINBOX_TOKEN')});
	return {
		api: async () => createClient({url, apiKey: env['TINBOX_API_KEY'] || missing('TINBOX_API_KEY')}),
		account: withToken,
		operator: withToken,
	};
}

/** Where the credentials of the local user come from. */
export type LocalUser = {
	/** Those in the settings; made if there are none. */
	credentials(state: DaemonState): Promise<Credentials>;
	/** Others than the refused ones, as after the data directory was deleted. */
	renewed(state: DaemonState, refused: Credentials): Promise<Credentials>;
};

/** How long a token for one command has to live, in seconds. */
const tokenLifetime = 300;

/** To the daemon of this machine, as the local user unless the environment says otherwise. */
export function localConnections(daemon: Context['daemon'], env: NodeJS.ProcessEnv, localUser: LocalUser): Connections {
	const {TINBOX_API_KEY: apiKey, TINBOX_TOKEN: token} = env;
	const operator = async () => {
		const {url, data_dir} = await daemon();
		return createClient({url, token: token || operatorToken(data_dir)});
	};
	return {
		operator,
		async api() {
			const state = await daemon();
			const {url} = state;
			if (apiKey) {
				return createClient({url, apiKey});
			}

			const kept = await localUser.credentials(state);
			return createClient({
				url,
				apiKey: kept.apiKey,
				renewApiKey: async () => (await localUser.renewed(state, kept)).apiKey,
			});
		},
		async account() {
			const state = await daemon();
			return createClient({url: state.url, token: token || (await userToken(state, await operator(), localUser))});
		},
	};
}

async function userToken(state: DaemonState, {users}: Client, localUser: LocalUser): Promise<string> {
	const issue = async ({userId}: Credentials) => (await users.createToken(userId, {expires_in: tokenLifetime})).token;
	const kept = await localUser.credentials(state);
	return issue(kept).catch(async error => {
		if (error instanceof ApiError && error.status === 404) {
			return issue(await localUser.renewed(state, kept));
		}

		throw error;
	});
}

function missing(variable: string): never {
	throw new Exit(exitCodes.denied, 'unauthorized', `TINBOX_URL is set, but ${variable} is not.`, {
		hint: `Set ${variable} to one for that daemon, or unset TINBOX_URL to use the daemon of this machine.`,
	});
}
