import {type AuthorizedCall, type Caller, errorOf, parseAnswer} from '../../client/caller.js';
import {daemonClient} from '../../client/daemon.js';
import {ApiError} from '../../client/errors.js';
import {eventsClient} from '../../client/events.js';
import {payloadOf, queryOf} from '../../client/exchange.js';
import {faultsClient} from '../../client/faults.js';
import {inboxesClient} from '../../client/inboxes.js';
import {messagesClient} from '../../client/messages.js';
import {webhooksClient} from '../../client/webhooks.js';
import {apiKeyStart, appHeader} from '../../contract/constants.js';
import type {OpenedWebSessionBody, OpenWebSession, OwnWebSessionBody} from '../../contract/keys.js';

const storageKey = 'tinbox app key';

/** Where nothing can be stored, it is good until the page is left. */
let known: string | undefined;

/**
 * The half of the session's secret that the page keeps, for all its tabs: what others serve at another port of the same host
 * gets the cookie, but not this.
 */
export const appKey = {
	/** Undefined while there is none, and thus no session. */
	get: (): string | undefined => stored() ?? known,
	keep(key: string): void {
		known = key;
		try {
			localStorage.setItem(storageKey, key);
		} catch {}
	},
	/** Calls the listener when another tab got one. */
	onKept(listener: () => void): void {
		addEventListener('storage', ({key}) => key === storageKey && listener());
	},
};

function stored(): string | undefined {
	try {
		return localStorage.getItem(storageKey) ?? undefined;
	} catch {
		return undefined;
	}
}

/** The API for the page: `/v1` with the cookie of its session in place of a key. */
const base = '/app/v1';

const defaultDeadlineMs = 30_000;

/**
 * Calls of the page to its daemon. An error of the daemon is an `ApiError`; that there is no answer is said in words for people.
 * Before a call rejects that was not authorized, `onUnauthorized` is told.
 */
function fetchCaller(onUnauthorized: () => Promise<void>): Caller {
	const ask = async (call: AuthorizedCall, signal: AbortSignal | undefined): Promise<Response> => {
		const response = await send(`${base}${call.path}${queryOf(call.query)}`, {...call, signal});
		if (response.status === 401) {
			await onUnauthorized();
		}

		return response;
	};
	const whole = async (call: AuthorizedCall): Promise<Response> => {
		const deadline = AbortSignal.timeout(call.deadlineMs ?? defaultDeadlineMs);
		return ask(call, call.signal ? AbortSignal.any([call.signal, deadline]) : deadline);
	};
	return {
		json: async (call, form) => parseAnswer(location.origin, await textOf(await whole(call)), form),
		async done(call) {
			await textOf(await whole(call));
		},
		bytes: async call =>
			new Uint8Array(await (await succeeded(await whole(call))).arrayBuffer().catch(throwUnanswered)),
		async stream(call) {
			const {body} = await succeeded(await ask(call, call.signal));
			return chunksOf(body);
		},
	};
}

type Sent = Pick<AuthorizedCall, 'method' | 'headers' | 'body' | 'mail' | 'signal'>;

/** Sends it with the key of the page, which no other site has. */
async function send(url: string, {method, headers, signal, ...sent}: Sent): Promise<Response> {
	const payload = payloadOf(sent);
	return fetch(url, {
		method,
		headers: {
			...headers,
			// Anything, while there is no session.
			[appHeader]: appKey.get() ?? '1',
			...(payload && {'content-type': payload.type}),
		},
		body: payload?.data ?? null,
		signal: signal ?? null,
	}).catch(throwUnanswered);
}

/** Browsers have words of their own for a lost connection. */
function throwUnanswered(error: unknown): never {
	if (error instanceof TypeError) {
		throw new Error('The daemon does not respond. Is it running? Start it with: tinbox daemon start', {cause: error});
	}

	if (error instanceof DOMException && error.name === 'TimeoutError') {
		throw new Error('The daemon did not respond in time.', {cause: error});
	}

	throw error;
}

/** Deletes it, also when the page is gone before that is answered. */
export function deleteAtEnd(path: string): void {
	void fetch(base + path, {method: 'DELETE', keepalive: true, headers: {[appHeader]: appKey.get() ?? '1'}});
}

/** The text of an answer. Throws what it says went wrong. */
async function textOf(response: Response): Promise<string> {
	return (await succeeded(response)).text().catch(throwUnanswered);
}

async function succeeded(response: Response): Promise<Response> {
	if (!response.ok) {
		throw errorOf(response.status, await response.text().catch(throwUnanswered), location.origin);
	}

	return response;
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
	const reader = body?.getReader();
	const read = async () => reader?.read().catch(throwUnanswered);
	try {
		for (let next = await read(); next?.value; next = await read()) {
			yield next.value;
		}
	} finally {
		await reader?.cancel().catch(() => {});
	}
}

const path = '/app/session';

/** The session of the page. */
const sessionClient = {
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

export type WebApi = ReturnType<typeof webApi>;

/** What the page asks of the daemon: the same clients as those of other programs, by way of `fetch`. */
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
	};
}
