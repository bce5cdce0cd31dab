import type {ProblemBody} from '../contract/problem.js';
import {ApiError, UnreachableError} from './errors.js';
import {type Answer, type Call, collect, exchange, open} from './exchange.js';

export type Connection = {
	/** Base address of the API; ends in `/v1`. It is read for each call, so that it may change between two. */
	readonly url: string;
	/** Opens inboxes, messages and webhooks. */
	readonly apiKey?: string;
	/** A user's token opens teams and keys, the operator's opens users. */
	readonly token?: string;
	/** Asked once when the API key is refused; the call is then repeated with the key it gives. */
	readonly renewApiKey?: (refused: string) => Promise<string>;
};

export type AuthorizedCall = Call & {readonly auth: 'none' | 'key' | 'token'};

/** Makes calls. An error of the daemon is an `ApiError`; the rest is said at `exchange`. */
export type Request = {
	/** The body of the answer, parsed; undefined when there is none. */
	json<T>(call: AuthorizedCall): Promise<T>;
	bytes(call: AuthorizedCall): Promise<Buffer>;
	/** The body of the answer as it comes, for as long as it does. */
	stream(call: AuthorizedCall): Promise<AsyncIterable<Buffer>>;
};

export function createRequest(connection: Connection): Request {
	const {token, renewApiKey} = connection;
	let {apiKey} = connection;
	const credentials = (auth: AuthorizedCall['auth']): Record<string, string> => ({
		...(auth === 'key' && apiKey !== undefined && {'x-api-key': apiKey}),
		...(auth === 'token' && token !== undefined && {authorization: `Bearer ${token}`}),
	});
	const authorized = async <A extends {readonly status: number}>(
		{auth, ...call}: AuthorizedCall,
		make: (url: string, call: Call, credentials: Record<string, string>) => Promise<A>,
	): Promise<A> => {
		const answer = await make(connection.url, call, credentials(auth));
		if (answer.status !== 401 || auth !== 'key' || apiKey === undefined || !renewApiKey) {
			return answer;
		}

		apiKey = await renewApiKey(apiKey);
		return make(connection.url, call, credentials(auth));
	};
	const bytes = async (call: AuthorizedCall): Promise<Buffer> => {
		const answer = await authorized(call, exchange);
		if (!isSuccess(answer)) {
			throw errorOf(answer, connection.url);
		}

		return answer.body;
	};
	return {
		bytes,
		async stream(call) {
			const {status, body} = await authorized(call, open);
			if (!isSuccess({status})) {
				throw errorOf({status, body: await collect(body)}, connection.url);
			}

			return body;
		},
		async json(call) {
			const body = await bytes(call);
			return body.length === 0 ? undefined : parse(body, connection.url);
		},
	};
}

function isSuccess({status}: {readonly status: number}): boolean {
	return status >= 200 && status <= 299;
}

function errorOf({status, body}: Answer, url: string): Error {
	const problem: Partial<ProblemBody> | null = parse(body, url);
	return typeof problem?.code === 'string' && typeof problem.detail === 'string'
		? new ApiError({...problem, status, code: problem.code, detail: problem.detail})
		: new UnreachableError(url, `answers with status ${status}, but not as tinbox does. Is the address right?`);
}

function parse(body: Buffer, url: string) {
	try {
		return JSON.parse(body.toString());
	} catch (error) {
		throw new UnreachableError(url, 'answers, but not as tinbox does. Is the address right?', {cause: error});
	}
}
