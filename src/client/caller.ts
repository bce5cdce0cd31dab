import type {IncomingMessage} from 'node:http';
import type {ProblemBody} from '../contract/common.js';
import {ApiError, UnreachableError} from './errors.js';
import {type Call, fetchResponse, type HttpResponse, openResponse, readBody} from './exchange.js';

export type ClientOptions = {
	/** Base URL of the API; ends in `/v1`. Read for each call, so it may change between calls. */
	readonly url: string;
	/** Gives access to inboxes, messages and webhooks. */
	readonly apiKey?: string;
	/** A user's token gives access to teams and keys, the operator's token to users. */
	readonly token?: string;
	/** Called once if the API key is rejected; the call is then repeated with the returned key. */
	readonly renewApiKey?: (refused: string) => Promise<string>;
	/** Opens a connection to a daemon in this process; default: a socket to the address in `url`. */
	readonly connect?: () => import('node:stream').Duplex;
};

/** Call with its credential. `either` is the API key, or the token if there is no key. */
export type AuthorizedCall = Call & {readonly auth: 'key' | 'token' | 'either'};

/** Maximum length of a JSON response, which is buffered. */
export const maxJsonBytes = 256 * 1024 * 1024;

/** Lists and objects that a response must have, such as `{users: [{}]}`. */
export type Shape<T> = T extends readonly (infer Row)[]
	? readonly [Shape<Row>]
	: {readonly [Name in keyof T]?: Shape<NonNullable<T[Name]>>};

/** Sends authorized requests. Rejects with an `ApiError` for a problem response; for other errors see `fetchAnswer`. */
export type Caller<Bytes extends Uint8Array = Uint8Array> = {
	/** Parsed body of the response: an object, unless another shape is given. */
	json<T extends object>(call: AuthorizedCall, shape?: Shape<T>): Promise<T>;
	/** Ignores the body of the response. */
	done(call: AuthorizedCall): Promise<void>;
	bytes(call: AuthorizedCall): Promise<Bytes>;
	/** Body of the response as a stream. */
	stream(call: AuthorizedCall): Promise<AsyncIterable<Bytes>>;
};

export function createCaller(options: ClientOptions, maxResponseBytes = maxJsonBytes): Caller<Buffer> {
	const {token, renewApiKey, connect} = options;
	let {apiKey} = options;
	const credentials = (auth: 'key' | 'token'): Record<string, string> => ({
		...(auth === 'key' && apiKey !== undefined && {'x-api-key': apiKey}),
		...(auth === 'token' && token !== undefined && {authorization: `Bearer ${token}`}),
	});
	const authorized = async <Body extends Buffer | IncomingMessage>(
		{auth: wanted, ...given}: AuthorizedCall,
		make: (url: string, call: Call, credentials: Record<string, string>) => Promise<HttpResponse<Body>>,
	): Promise<HttpResponse<Body>> => {
		const call = {...given, connect};
		const auth = wanted === 'either' ? (apiKey === undefined ? 'token' : 'key') : wanted;
		const response = await make(options.url, call, credentials(auth));
		if (response.status !== 401 || auth !== 'key' || apiKey === undefined || !renewApiKey) {
			return response;
		}

		apiKey = await renewApiKey(apiKey);
		return make(options.url, call, credentials(auth));
	};
	const bytes = async (call: AuthorizedCall): Promise<Buffer> => {
		const {status, body} = await authorized(call, fetchResponse);
		if (!isSuccess(status)) {
			throw errorOf(status, body.toString(), options.url);
		}

		return body;
	};
	return {
		bytes,
		async stream(call) {
			const {status, body} = await authorized(call, openResponse);
			if (!isSuccess(status)) {
				throw errorOf(status, (await readBody(options.url, body, maxJsonBytes)).toString(), options.url);
			}

			return body;
		},
		async done(call) {
			await bytes({maxBytes: maxResponseBytes, ...call});
		},
		async json(call, shape) {
			return parseResponse(options.url, (await bytes({maxBytes: maxResponseBytes, ...call})).toString(), shape);
		},
	};
}

type JsonOptions<T> = Partial<Omit<AuthorizedCall, 'method' | 'path'>> & {readonly shape?: Shape<T>};

/** Requests with JSON responses, by method. `auth` applies unless a request has another one. */
export function jsonRequests({json}: Pick<Caller, 'json'>, auth: AuthorizedCall['auth']) {
	const request =
		(method: Call['method']) =>
		async <T extends object>(path: string, {shape, ...call}: JsonOptions<T> = {}): Promise<T> =>
			json<T>({method, path, auth, ...call}, shape);
	return {
		get: request('GET'),
		post: request('POST'),
		put: request('PUT'),
		patch: request('PATCH'),
		remove: request('DELETE'),
	};
}

function isSuccess(status: number): boolean {
	return status >= 200 && status <= 299;
}

/** Error for a response with an error status. */
export function errorOf(status: number, text: string, url: string): Error {
	const problem = parseResponse<Partial<ProblemBody>>(url, text);
	return typeof problem.code === 'string' && typeof problem.detail === 'string'
		? new ApiError({...problem, status, code: problem.code, detail: problem.detail})
		: new UnreachableError(url, `returned status ${status}, but not a tinbox response. Check the address.`);
}

/** Parses a JSON response. Throws `UnreachableError` if it is not a response of tinbox. */
export function parseResponse<T extends object>(url: string, text: string, shape: Shape<T> = {} as Shape<T>): T {
	let data: unknown;
	let cause: unknown;
	try {
		data = JSON.parse(text);
	} catch (error) {
		cause = error;
	}

	if (!hasShape<T>(data, shape)) {
		throw new UnreachableError(url, 'did not return a tinbox response. Check the address.', {cause});
	}

	return data;
}

function hasShape<T>(data: unknown, shape: object): data is T {
	if (Array.isArray(shape)) {
		return Array.isArray(data) && data.every(row => hasShape(row, shape[0]));
	}

	const fields: Record<string, unknown> = Object(data);
	return (
		fields === data &&
		!Array.isArray(data) &&
		Object.entries(shape).every(([name, part]) => hasShape(fields[name], part))
	);
}

/**
 * Path of the API; each value is encoded as one segment. Throws `not_found` for an empty value: the path would name the
 * collection.
 */
export function path(texts: TemplateStringsArray, ...values: readonly string[]): string {
	if (values.includes('')) {
		throw new ApiError({status: 404, code: 'not_found', detail: 'The id must not be empty.'});
	}

	return String.raw({raw: texts}, ...values.map(encodeURIComponent));
}
