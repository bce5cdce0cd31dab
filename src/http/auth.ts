import type {Context} from 'koa';
import {AppError} from '../domain/errors.js';
import type {User} from '../domain/user.js';
import type {Credentials} from '../services/credentials.js';

const bearerChallenge = 'Bearer realm="tinbox"';
const keyChallenge = 'ApiKey realm="tinbox", header="X-API-Key"';

/** The user whose API key the request carries (inboxes, messages, webhooks). Throws `unauthorized`. */
export async function userByKey(ctx: Context, credentials: Credentials): Promise<User> {
	return challenge(ctx, keyChallenge, async () => {
		const key = ctx.get('X-API-Key');
		if (key === '') {
			throw new AppError('unauthorized', 'This needs an API key. Send it in the X-API-Key header.');
		}

		return credentials.byKey(key);
	});
}

/** The user whose token the request carries (teams, keys). Throws `unauthorized`. */
export async function userByToken(ctx: Context, credentials: Credentials): Promise<User> {
	return challenge(ctx, bearerChallenge, async () => credentials.byToken(bearerToken(ctx)));
}

/** The user whose API key or token the request carries, for what is the same to both. Throws `unauthorized`. */
export async function userByEither(ctx: Context, credentials: Credentials): Promise<User> {
	return challenge(ctx, `${bearerChallenge}, ${keyChallenge}`, async () => {
		const key = ctx.get('X-API-Key');
		return key === '' ? credentials.byToken(bearerToken(ctx)) : credentials.byKey(key);
	});
}

/** Throws `unauthorized` unless the request carries the operator token (users). */
export async function requireOperator(ctx: Context, credentials: Credentials): Promise<void> {
	await challenge(ctx, bearerChallenge, async () => {
		if (!credentials.isOperator(bearerToken(ctx))) {
			throw new AppError('unauthorized', 'This needs the operator token of the daemon, and no other.');
		}
	});
}

/** The token after `Authorization: Bearer` (RFC 6750, section 2.1). */
function bearerToken(ctx: Context): string {
	const [, token] = /^Bearer +(\S+)$/i.exec(ctx.get('Authorization')) ?? [];
	if (token === undefined) {
		throw new AppError('unauthorized', 'This needs a token. Send it in the header "Authorization: Bearer <token>".');
	}

	return token;
}

/** A 401 says which credentials would do (RFC 9110, section 11.6.1). */
async function challenge<T>(ctx: Context, scheme: string, identify: () => Promise<T>): Promise<T> {
	try {
		return await identify();
	} catch (error) {
		if (error instanceof AppError && error.code === 'unauthorized') {
			ctx.set('WWW-Authenticate', scheme);
		}

		throw error;
	}
}
