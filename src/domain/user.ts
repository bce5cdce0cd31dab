import type {Plan} from '../contract/constants.js';
import {canonicalAddress} from './address.js';

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
