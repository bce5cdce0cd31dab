import {parseAnswer} from '../../../client/caller.js';
import {ApiError} from '../../../client/errors.js';
import {apiKeyStart} from '../../../contract/constants.js';
import type {OpenedWebSessionBody, OpenWebSession, OwnWebSessionBody} from '../../../contract/keys.js';
import {appKey} from './app-key.js';
import {send, textOf} from './fetch-caller.js';

const path = '/app/session';

/** The session of the page. */
export const sessionClient = {
	/** Undefined when nobody is logged in. */
	async get(): Promise<OwnWebSessionBody | undefined> {
		if (appKey.get() === undefined) {
			return undefined;
		}

		const response = await send(path, {method: 'GET'});
		return response.status === 401 ? undefined : parsed<OwnWebSessionBody>(response);
	},
	/** By what a person has: an API key, or a token. */
	logIn: async (secret: string): Promise<OwnWebSessionBody> => {
		assertSendable(secret);
		const headers = secret.startsWith(apiKeyStart) ? {'x-api-key': secret} : {authorization: `Bearer ${secret}`};
		return opened(await send(path, {method: 'POST', headers}));
	},
	/** By a link of `tinbox open`, which is good once. */
	enter: async (link: string): Promise<OwnWebSessionBody> =>
		opened(await send(path, {method: 'POST', body: {link} satisfies OpenWebSession})),
	async logOut(): Promise<void> {
		await textOf(await send(path, {method: 'DELETE'}));
	},
};

/** What no header can hold is no key: the browser, or the daemon, would say so in words of its own. */
function assertSendable(secret: string): void {
	if (!/^[\x21-\x7e]{1,4096}$/.test(secret)) {
		throw new ApiError({status: 401, code: 'unauthorized', detail: 'This is not an API key or a token.'});
	}
}

async function opened(response: Response): Promise<OwnWebSessionBody> {
	const {app_key: key, ...session} = await parsed<OpenedWebSessionBody>(response);
	appKey.keep(key);
	return session;
}

async function parsed<Body extends object>(response: Response): Promise<Body> {
	return parseAnswer<Body>(location.origin, await textOf(response));
}
