import {fieldsOf} from './answers.js';

/** Plans, from the smallest to the largest. */
export const plans = ['free', 'starter', 'pro', 'business'] as const;

export type Plan = (typeof plans)[number];

/** Limits of a plan; null for unlimited. */
export type PlanBody = {
	readonly plan: Plan;
	/** Maximum number of teams that a user owns. */
	readonly teams: number | null;
	/** Maximum number of members of a team, counting the owner and open invites. */
	readonly members: number | null;
	/** Maximum number of API keys of a user. */
	readonly keys: number | null;
};

export const planFields = fieldsOf<PlanBody>()('plan teams members keys');

export type PlanListBody = {readonly plans: readonly PlanBody[]};
