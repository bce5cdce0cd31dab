import {type AuthorizedCall, type Caller, errorOf, parseResponse} from '../../client/caller.js';
import {daemonClient} from '../../client/daemon.js';
import {ApiError} from '../../client/errors.js';
import {eventsClient} from '../../client/events.js';
import {payloadOf, queryOf} from '../../client/exchange.js';
import {faultsClient} from '../../client/faults.js';
import {inboxesClient} from '../../client/inboxes.js';
import {messagesClient} from '../../client/messages.js';
import {webhooksClient} from '../../client/webhooks.js';
import {apiKeyStart, appHeader} from '../../contract/constants.js';
import type {OpenedWebSessionBody, OpenWebSession, OtherAccountBody, OwnWebSessionBody} from '../../contract/keys.js';

export type WebApi = ReturnType<typeof webApi>;

/** API of the daemon: the clients that other programs use, over `fetch`, and the session of the page. */
export function webApi(onUnauthorized: () => Promise<void>) {
	const caller = fetchCaller(onUnauthorized);
	return {
		session: sessionClient,
		daemon: daemonClient(caller),
		inboxes: inboxesClient(caller),
		messages: messagesClient(caller),
		faults: faultsClient(caller),
		webhooks: webhooksClient(caller),
		events: eventsClient(caller),
		/** Sends a DELETE request. */
		delete: async (path: string) => caller.done({method: 'DELETE', path, auth: 'key'}),
	};
}

/** Text that the browser stores under a key. If it stores nothing, the text lasts until the page is closed. */
export function browserStorage(key: string) {
	let unstored: string | undefined;
	return {
		get(): string | undefined {
			try {
				return localStorage.getItem(key) ?? unstored;
			} catch {
				return unstored;
			}
		},
		set(text: string): void {
			unstored = text;
			try {
				localStorage.setItem(key, text);
			} catch {}
		},
		/** Calls the listener when another tab sets the text. */
		onChange(listener: () => void): void {
			addEventListener('storage', event => event.key === key && listener());
		},
	};
}

/**
 * Second secret of the session, sent as a header; undefined if there is no session. The cookie alone does not suffice, because
 * browsers also send it to servers on other ports of the same host.
 */
export const appKey = browserStorage('tinbox app key');

/** Path of `/v1` for requests with the session's cookie in place of an API key. */
const base = '/app/v1';

const defaultDeadlineMs = 30_000;

/** Calls the daemon. Rejects with an `ApiError` for an error response; calls `onUnauthorized` before it rejects with status 401. */
function fetchCaller(onUnauthorized: () => Promise<void>): Caller {
	const ask = async (call: AuthorizedCall, signal: AbortSignal | undefined): Promise<Response> => {
		const response = await send(`${base}${call.path}${queryOf(call.query)}`, {...call, signal});
		if (response.status === 401) {
			await onUnauthorized();
		}

		return response;
	};
	const request = async (call: AuthorizedCall): Promise<Response> => {
		const deadline = AbortSignal.timeout(call.deadlineMs ?? defaultDeadlineMs);
		return ask(call, call.signal ? AbortSignal.any([call.signal, deadline]) : deadline);
	};
	return {
		json: async (call, form) => parseResponse(location.origin, await textOf(await request(call)), form),
		async done(call) {
			await textOf(await request(call));
		},
		bytes: async call =>
			new Uint8Array(await (await succeeded(await request(call))).arrayBuffer().catch(throwConnectionError)),
		async stream(call) {
			const {body} = await succeeded(await ask(call, call.signal));
			return chunksOf(body);
		},
	};
}

type Sent = Pick<AuthorizedCall, 'method' | 'headers' | 'body' | 'mail' | 'signal'>;

/** Sends a request with the app key. */
async function send(url: string, {method, headers, signal, ...sent}: Sent): Promise<Response> {
	const payload = payloadOf(sent);
	return fetch(url, {
		method,
		headers: {
			...headers,
			// Without a session, the header only shows that the request is not from another site.
			[appHeader]: appKey.get() ?? '1',
			...(payload && {'content-type': payload.type}),
		},
		body: payload?.data ?? null,
		signal: signal ?? null,
	}).catch(throwConnectionError);
}

/** Replaces the browser's message about a failed connection. */
function throwConnectionError(error: unknown): never {
	if (error instanceof TypeError) {
		throw new Error('The daemon does not respond. Is it running? Start it with: tinbox daemon start', {cause: error});
	}

	if (error instanceof DOMException && error.name === 'TimeoutError') {
		throw new Error('The daemon did not respond in time.', {cause: error});
	}

	throw error;
}

/** Sends a DELETE request that outlives the page. */
export function deleteOnUnload(path: string): void {
	void fetch(base + path, {method: 'DELETE', keepalive: true, headers: {[appHeader]: appKey.get() ?? '1'}});
}

/** Returns the body. Throws an `ApiError` for an error response. */
async function textOf(response: Response): Promise<string> {
	return (await succeeded(response)).text().catch(throwConnectionError);
}

async function succeeded(response: Response): Promise<Response> {
	if (!response.ok) {
		throw errorOf(response.status, await response.text().catch(throwConnectionError), location.origin);
	}

	return response;
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
	const reader = body?.getReader();
	const read = async () => reader?.read().catch(throwConnectionError);
	try {
		for (let next = await read(); next?.value; next = await read()) {
			yield next.value;
		}
	} finally {
		await reader?.cancel().catch(() => {});
	}
}

const sessionPath = '/app/session';

/** Session of the page. */
const sessionClient = {
	/** Returns undefined if no user is logged in. */
	async get(): Promise<OwnWebSessionBody | undefined> {
		if (appKey.get() === undefined) {
			return undefined;
		}

		const response = await send(sessionPath, {method: 'GET'});
		return response.status === 401 ? undefined : parsed<OwnWebSessionBody>(response);
	},
	/** Logs in by an API key or a token. */
	logIn: async (secret: string): Promise<OwnWebSessionBody> => {
		assertSendable(secret);
		const headers = secret.startsWith(apiKeyStart) ? {'x-api-key': secret} : {authorization: `Bearer ${secret}`};
		return startSession(await send(sessionPath, {method: 'POST', headers}));
	},
	/**
	 * Logs in by a link of `tinbox open`, which can be used once. If it is not for the account of the email address `account`, it is
	 * not used, and this resolves to its account.
	 */
	async enter(link: string, account?: string): Promise<OwnWebSessionBody | OtherAccountBody> {
		const response = await send(sessionPath, {method: 'POST', body: {link, account} satisfies OpenWebSession});
		return response.status === 200 ? parsed<OtherAccountBody>(response) : startSession(response);
	},
	async logOut(): Promise<void> {
		await textOf(await send(sessionPath, {method: 'DELETE'}));
	},
};

/** Rejects a secret that cannot be a header value, for which the browser would throw a different error. */
function assertSendable(secret: string): void {
	if (!/^[\x21-\x7e]{1,4096}$/.test(secret)) {
		throw new ApiError({status: 401, code: 'unauthorized', detail: 'This is not an API key or a token.'});
	}
}

async function startSession(response: Response): Promise<OwnWebSessionBody> {
	const {app_key: key, ...session} = await parsed<OpenedWebSessionBody>(response);
	appKey.set(key);
	return session;
}

async function parsed<Body extends object>(response: Response): Promise<Body> {
	return parseResponse<Body>(location.origin, await textOf(response));
}
