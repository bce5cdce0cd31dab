import {createSecretKey, type KeyObject} from 'node:crypto';
import {errors, jwtVerify, SignJWT} from 'jose';
import {AppError} from '../../domain/errors.js';
import type {User} from '../../domain/user.js';

const issuer = 'tinbox';
const audience = 'tinbox';
const algorithm = 'HS256';

/** How far the clocks of two machines may differ. */
const clockToleranceS = 30;

const maxTokenLength = 8192;

export type IssuedToken = {readonly token: string; readonly expiresAt: string};

/** Issues and verifies the JSON Web Tokens (RFC 7519) of users, along the lines of RFC 8725. */
export class Tokens {
	readonly #key: KeyObject;
	readonly #now: () => Date;

	constructor(secret: string, now: () => Date) {
		this.#key = createSecretKey(Buffer.from(secret));
		this.#now = now;
	}

	async issue({id, email}: User, seconds: number): Promise<IssuedToken> {
		const issuedAt = Math.floor(this.#now().getTime() / 1000);
		const token = await new SignJWT({email})
			.setProtectedHeader({alg: algorithm, typ: 'JWT'})
			.setSubject(id)
			.setIssuer(issuer)
			.setAudience(audience)
			.setIssuedAt(issuedAt)
			.setExpirationTime(issuedAt + seconds)
			.sign(this.#key);
		return {token, expiresAt: new Date((issuedAt + seconds) * 1000).toISOString()};
	}

	/** The id of the user that the token was issued to, and until when it holds. Throws `unauthorized` for whatever `issue` did not make. */
	async verify(token: string): Promise<{readonly userId: string; readonly expiresAt: string}> {
		if (token.length > maxTokenLength || !hasCanonicalSignature(token)) {
			throw invalidToken();
		}

		try {
			const {payload} = await jwtVerify(token, this.#key, {
				algorithms: [algorithm],
				typ: 'JWT',
				issuer,
				audience,
				requiredClaims: ['sub', 'iat', 'exp'],
				clockTolerance: clockToleranceS,
				currentDate: this.#now(),
			});
			const {sub: userId, exp} = payload;
			if (typeof userId === 'string' && exp !== undefined) {
				return {userId, expiresAt: new Date(exp * 1000).toISOString()};
			}
		} catch (error) {
			if (error instanceof errors.JWTExpired) {
				throw new AppError('unauthorized', 'The token has expired. Ask the operator for a new one.');
			}
		}

		throw invalidToken();
	}
}

/** Base64url leaves spare bits in the last character: without this, four spellings of one signature would pass. */
function hasCanonicalSignature(token: string): boolean {
	const signature = token.slice(token.lastIndexOf('.') + 1);
	return Buffer.from(signature, 'base64url').toString('base64url') === signature;
}

export function invalidToken(): AppError {
	return new AppError('unauthorized', 'The token is not valid for this daemon. Ask the operator for a new one.');
}
