import {type AuthorizedCall, type Caller, errorOf, parseAnswer} from '../../../client/caller.js';
import {payloadOf, queryOf} from '../../../client/exchange.js';
import {appHeader} from '../../../contract/constants.js';
import {appKey} from './app-key.js';

/** The API for the page: `/v1` with the cookie of its session in place of a key. */
const base = '/app/v1';

const defaultDeadlineMs = 30_000;

/**
 * Calls of the page to its daemon. An error of the daemon is an `ApiError`; that there is no answer is said in words for people.
 * Before a call rejects that was not authorized, `onUnauthorized` is told.
 */
export function fetchCaller(onUnauthorized: () => Promise<void>): Caller {
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
export async function send(url: string, {method, headers, signal, ...sent}: Sent): Promise<Response> {
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
export async function textOf(response: Response): Promise<string> {
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
