import type {Plan} from '../../contract/constants.js';
import {canonicalAddress} from '../mail/address.js';

export type User = {
	readonly id: string;
	readonly name: string;
	/** Email address as entered, compared in its canonical form. */
	readonly email: string;
	readonly plan: Plan;
	/** ISO 8601, like all times in records. */
	readonly createdAt: string;
};

/** True for the local user, whose email address ends in `@localhost`. */
export function isLocalUser({email}: User): boolean {
	return canonicalAddress(email).endsWith('@localhost');
}

export type ApiKey = {
	readonly id: string;
	readonly userId: string;
	readonly name: string;
	/** First 16 characters, for recognition. */
	readonly prefix: string;
	/** SHA-256 hash of the key in hex. The key itself is not stored. */
	readonly hash: string;
	readonly createdAt: string;
	readonly lastUsedAt: string | null;
};

/** Browser session of the web app. */
export type WebSession = {
	readonly id: string;
	readonly userId: string;
	/** API key that created it, and ends it when deleted; null if created by a token. */
	readonly keyId: string | null;
	/** SHA-256 hash of its secret in hex. The secret itself is not stored. */
	readonly hash: string;
	readonly createdAt: string;
	readonly expiresAt: string;
	readonly lastUsedAt: string | null;
	/** True after logout. The id stays reserved, because a login link may have used it. */
	readonly isEnded: boolean;
};

/**
 * Time for which the id of an ended session stays reserved: longer than login links are valid, with a margin for clock
 * differences.
 */
const reservedMs = 10 * 60_000;

/** Returns the changed fields of a session that ends at `at`. */
export function endedSession(
	{expiresAt}: Pick<WebSession, 'expiresAt'>,
	at: string,
): Pick<WebSession, 'isEnded' | 'expiresAt'> {
	const reservedUntil = new Date(Date.parse(at) + reservedMs).toISOString();
	return {isEnded: true, expiresAt: reservedUntil < expiresAt ? reservedUntil : expiresAt};
}
