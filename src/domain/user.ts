import type {Plan} from './plan.js';

export type User = {
	readonly id: string;
	readonly name: string;
	/** As given; compared without case. */
	readonly email: string;
	readonly plan: Plan;
	/** ISO 8601, as all times in records. */
	readonly createdAt: string;
};
