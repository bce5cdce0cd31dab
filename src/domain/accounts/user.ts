import type {Plan} from '../../contract/constants.js';
import {canonicalAddress} from '../mail/address.js';

export type User = {
	readonly id: string;
	readonly name: string;
	/** As given; compared in its canonical form. */
	readonly email: string;
	readonly plan: Plan;
	/** ISO 8601, as all times in records. */
	readonly createdAt: string;
};

/** Whether this is the user of the machine that the daemon runs on, as the operator tells by the email. */
export function isLocalUser({email}: User): boolean {
	return canonicalAddress(email).endsWith('@localhost');
}

export type ApiKey = {
	readonly id: string;
	readonly userId: string;
	readonly name: string;
	/** The first 16 characters, by which a person recognises the key. */
	readonly prefix: string;
	/** SHA-256 of the whole key in hex; the key itself is kept nowhere. */
	readonly hash: string;
	readonly createdAt: string;
	readonly lastUsedAt: string | null;
};

/** A browser that is logged in to the web app. */
export type WebSession = {
	readonly id: string;
	readonly userId: string;
	/** Of the API key that made it, with which it ends; null when a token did. */
	readonly keyId: string | null;
	/** SHA-256 of its secret in hex; the secret itself is kept nowhere. */
	readonly hash: string;
	readonly createdAt: string;
	readonly expiresAt: string;
	readonly lastUsedAt: string | null;
	/** Whether it was ended before its time. Its id stays taken, for a link may name it that was used. */
	readonly isEnded: boolean;
};

/** How long the id stays taken: longer than any link opens something, also where clocks differ. */
const takenMs = 10 * 60_000;

/** What changes of a session that is ended. */
export function endedSession(
	{expiresAt}: Pick<WebSession, 'expiresAt'>,
	at: string,
): Pick<WebSession, 'isEnded' | 'expiresAt'> {
	const takenUntil = new Date(Date.parse(at) + takenMs).toISOString();
	return {isEnded: true, expiresAt: takenUntil < expiresAt ? takenUntil : expiresAt};
}
