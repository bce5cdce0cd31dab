import type {IncomingMessage, ServerResponse} from 'node:http';
import {hashSecret, looksLikeWebSession} from '../../domain/accounts/secrets.js';
import {isLocalUser, type User} from '../../domain/accounts/user.js';
import {AppError, isUnavailable} from '../../domain/errors.js';
import type {Credentials} from '../../services/accounts/credentials.js';
import type {LoginMethod} from '../../services/accounts/web-sessions.js';

/** A request and its response, with or without Koa. */
export type Exchange = {readonly req: IncomingMessage; readonly res: ServerResponse};

const bearerChallenge = 'Bearer realm="tinbox"';
const keyChallenge = 'ApiKey realm="tinbox", header="X-API-Key"';

/** Authenticates with an API key. Throws `unauthorized`. */
export async function userByKey(exchange: Exchange, credentials: Credentials): Promise<User> {
	return challenge(exchange, keyChallenge, async () => {
		const key = keyOf(exchange);
		if (key === '') {
			throw new AppError('unauthorized', 'An API key is required. Send it in the X-API-Key header.');
		}

		return credentials.byKey(key);
	});
}

/** Authenticates with an API key in `X-API-Key` or `Authorization: Bearer`, as MCP clients send it. Rejects web sessions. */
export async function userByKeyOrBearer(
	exchange: Exchange,
	credentials: Credentials,
): Promise<{readonly user: User; readonly key: string}> {
	return challenge(exchange, `${bearerChallenge}, ${keyChallenge}`, async () => {
		const key = keyOf(exchange) || (tokenOf(exchange.req) ?? '');
		if (key === '' || looksLikeWebSession(key)) {
			const how = 'Send it in the X-API-Key header or as "Authorization: Bearer <key>".';
			throw new AppError('unauthorized', `An API key is required. ${how}`);
		}

		return {user: await credentials.byKey(key), key};
	});
}

/** Hash of the API key or web session secret of a request. */
export function keyHash(exchange: Pick<Exchange, 'req'>): string {
	return hashSecret(keyOf(exchange));
}

/** Authenticates with a user token. Throws `unauthorized`. */
async function userByToken(exchange: Exchange, credentials: Credentials): Promise<User> {
	return challenge(exchange, bearerChallenge, async () => credentials.byToken(bearerToken(exchange)));
}

/** Authenticates with an API key or a user token. Throws `unauthorized`. */
async function userByEither(exchange: Exchange, credentials: Credentials): Promise<User> {
	return challenge(exchange, `${bearerChallenge}, ${keyChallenge}`, async () => {
		const key = keyOf(exchange);
		return key === '' ? credentials.byToken(bearerToken(exchange)) : credentials.byKey(key);
	});
}

async function requireOperator(exchange: Exchange, credentials: Credentials): Promise<undefined> {
	return challenge<undefined>(exchange, bearerChallenge, async () => {
		if (!credentials.isOperator(bearerToken(exchange))) {
			throw new AppError(
				'unauthorized',
				'The operator token of the daemon is required. Other tokens are not accepted.',
			);
		}
	});
}

/** True if the request has the operator token. */
export function isOperator({req}: Pick<Exchange, 'req'>, credentials: Credentials): boolean {
	return credentials.isOperator(tokenOf(req) ?? '');
}

/**
 * Authenticates the local user, with an API key or a token, or the operator (undefined). Throws `unauthorized`, and `forbidden`
 * for other users.
 */
async function localUserOrOperator(exchange: Exchange, credentials: Credentials): Promise<User | undefined> {
	return challenge(exchange, `${bearerChallenge}, ${keyChallenge}`, async () => {
		if (keyOf(exchange) === '' && credentials.isOperator(bearerToken(exchange))) {
			return undefined;
		}

		const user = await userByEither(exchange, credentials);
		if (!isLocalUser(user)) {
			throw new AppError('forbidden', 'Only the operator and the local user of this daemon are allowed to do this.');
		}

		return user;
	});
}

/** Authentication by kind of caller. */
export const callers = {
	anybody: async () => undefined,
	key: userByKey,
	token: userByToken,
	keyOrToken: userByEither,
	operator: requireOperator,
	local: localUserOrOperator,
} as const satisfies Readonly<
	Record<string, (exchange: Exchange, credentials: Credentials) => Promise<User | undefined>>
>;

/** Kind of caller of an operation. `sender` authenticates with the key of an inbox, which the sending APIs check. */
export type CallerName = keyof typeof callers | 'sender';

/** True if the request has a valid API key, user token or operator token; false if the store is unavailable. */
export async function hasCredentials(exchange: Pick<Exchange, 'req'>, credentials: Credentials): Promise<boolean> {
	try {
		const key = keyOf(exchange);
		const token = key === '' ? bearerToken(exchange) : undefined;
		if (token === undefined) {
			await credentials.byKey(key);
		} else if (!credentials.isOperator(token)) {
			await credentials.byToken(token);
		}

		return true;
	} catch (error) {
		if (isUnavailable(error) || (error instanceof AppError && error.code === 'unauthorized')) {
			return false;
		}

		throw error;
	}
}

/** Credential of a login request; undefined for none. */
export function loginMethodOf({req}: Pick<Exchange, 'req'>): LoginMethod | undefined {
	const key = keyOf({req});
	if (key !== '') {
		return {key};
	}

	return req.headers.authorization === undefined ? undefined : {token: bearerToken({req})};
}

function keyOf({req}: Pick<Exchange, 'req'>): string {
	const key = req.headers['x-api-key'];
	return typeof key === 'string' ? key : '';
}

/** Token in `Authorization: Bearer` (RFC 6750, section 2.1). */
function tokenOf({headers}: IncomingMessage): string | undefined {
	return /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1];
}

function bearerToken({req}: Pick<Exchange, 'req'>): string {
	const token = tokenOf(req);
	if (token === undefined) {
		throw new AppError('unauthorized', 'A token is required. Send it in the header "Authorization: Bearer <token>".');
	}

	return token;
}

/** Adds the accepted schemes to a 401 (RFC 9110, section 11.6.1). */
async function challenge<T>(exchange: Exchange, scheme: string, identify: () => Promise<T>): Promise<T> {
	try {
		return await identify();
	} catch (error) {
		if (error instanceof AppError && error.code === 'unauthorized') {
			exchange.res.setHeader('WWW-Authenticate', scheme);
		}

		throw error;
	}
}
