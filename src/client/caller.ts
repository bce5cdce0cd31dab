import type {ProblemBody} from '../contract/common.js';
import {ApiError, UnreachableError} from './errors.js';
import {type Call, collect, fetchAnswer, openAnswer} from './exchange.js';

export type ClientOptions = {
	/** Base URL of the API; ends in `/v1`. Read for each call, so it may change between calls. */
	readonly url: string;
	/** Gives access to inboxes, messages and webhooks. */
	readonly apiKey?: string;
	/** A user's token gives access to teams and keys, the operator's token to users. */
	readonly token?: string;
	/** Called once if the API key is rejected; the call is then repeated with the returned key. */
	readonly renewApiKey?: (refused: string) => Promise<string>;
};

/** `either` is the API key, or the token where there is no key. */
export type AuthorizedCall = Call & {readonly auth: 'key' | 'token' | 'either'};

/** Of JSON so much is read at most, for it is kept as a whole. */
export const maxJsonBytes = 256 * 1024 * 1024;

/** The lists and objects that an answer must have, as in `{users: [{}]}`. */
export type Form<T> = T extends readonly (infer Row)[]
	? readonly [Form<Row>]
	: {readonly [Name in keyof T]?: Form<NonNullable<T[Name]>>};

/** Makes calls. An error of the daemon is an `ApiError`; the rest is said at `fetchAnswer`. */
export type Caller<Bytes extends Uint8Array = Uint8Array> = {
	/** The body of the answer, parsed: an object, unless another form is given. */
	json<T extends object>(call: AuthorizedCall, form?: Form<T>): Promise<T>;
	/** Of the answer nothing is needed. */
	done(call: AuthorizedCall): Promise<void>;
	bytes(call: AuthorizedCall): Promise<Bytes>;
	/** The body of the answer as it comes, for as long as it does. */
	stream(call: AuthorizedCall): Promise<AsyncIterable<Bytes>>;
};

export function createCaller(options: ClientOptions, maxAnswerBytes = maxJsonBytes): Caller<Buffer> {
	const {token, renewApiKey} = options;
	let {apiKey} = options;
	const credentials = (auth: 'key' | 'token'): Record<string, string> => ({
		...(auth === 'key' && apiKey !== undefined && {'x-api-key': apiKey}),
		...(auth === 'token' && token !== undefined && {authorization: `Bearer ${token}`}),
	});
	const authorized = async <A extends {readonly status: number}>(
		{auth: wanted, ...call}: AuthorizedCall,
		make: (url: string, call: Call, credentials: Record<string, string>) => Promise<A>,
	): Promise<A> => {
		const auth = wanted === 'either' ? (apiKey === undefined ? 'token' : 'key') : wanted;
		const answer = await make(options.url, call, credentials(auth));
		if (answer.status !== 401 || auth !== 'key' || apiKey === undefined || !renewApiKey) {
			return answer;
		}

		apiKey = await renewApiKey(apiKey);
		return make(options.url, call, credentials(auth));
	};
	const bytes = async (call: AuthorizedCall): Promise<Buffer> => {
		const answer = await authorized(call, fetchAnswer);
		if (!isSuccess(answer)) {
			throw errorOf(answer.status, answer.body.toString(), options.url);
		}

		return answer.body;
	};
	return {
		bytes,
		async stream(call) {
			const {status, body} = await authorized(call, openAnswer);
			if (!isSuccess({status})) {
				throw errorOf(status, (await collect(options.url, body, maxJsonBytes)).toString(), options.url);
			}

			return body;
		},
		async done(call) {
			await bytes({maxBytes: maxAnswerBytes, ...call});
		},
		async json(call, form) {
			return parseAnswer(options.url, (await bytes({maxBytes: maxAnswerBytes, ...call})).toString(), form);
		},
	};
}

function isSuccess({status}: {readonly status: number}): boolean {
	return status >= 200 && status <= 299;
}

/** What went wrong, by the text of an answer that is no success. */
export function errorOf(status: number, text: string, url: string): Error {
	const problem = parseAnswer<Partial<ProblemBody>>(url, text);
	return typeof problem.code === 'string' && typeof problem.detail === 'string'
		? new ApiError({...problem, status, code: problem.code, detail: problem.detail})
		: new UnreachableError(url, `returned status ${status}, but not a tinbox response. Check the address.`);
}

/** Throws `UnreachableError` when that is no answer of tinbox. */
export function parseAnswer<T extends object>(url: string, text: string, form: Form<T> = {} as Form<T>): T {
	let data: unknown;
	let cause: unknown;
	try {
		data = JSON.parse(text);
	} catch (error) {
		cause = error;
	}

	if (!hasForm<T>(data, form)) {
		throw new UnreachableError(url, 'did not return a tinbox response. Check the address.', {cause});
	}

	return data;
}

function hasForm<T>(data: unknown, form: object): data is T {
	if (Array.isArray(form)) {
		return Array.isArray(data) && data.every(row => hasForm(row, form[0]));
	}

	const fields: Record<string, unknown> = Object(data);
	return (
		fields === data && !Array.isArray(data) && Object.entries(form).every(([name, part]) => hasForm(fields[name], part))
	);
}

/**
 * A path of the API: each value becomes one segment, whatever it holds. An empty value would name the collection
 * instead of a thing in it, so it is not found before it is asked for.
 */
export function path(texts: TemplateStringsArray, ...values: readonly string[]): string {
	if (values.includes('')) {
		throw new ApiError({status: 404, code: 'not_found', detail: 'The id must not be empty.'});
	}

	return String.raw({raw: texts}, ...values.map(encodeURIComponent));
}
