import type {Plan} from '../contract/plans.js';

export type User = {
	readonly id: string;
	readonly name: string;
	/** As given; compared without case. */
	readonly email: string;
	readonly plan: Plan;
	/** ISO 8601, as all times in records. */
	readonly createdAt: string;
};

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
