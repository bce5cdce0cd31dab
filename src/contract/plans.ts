import {fieldsOf} from './answers.js';

/** From the smallest to the largest. */
export const plans = ['free', 'starter', 'pro', 'business'] as const;

export type Plan = (typeof plans)[number];

/** How many of each a plan allows; null is any number. */
export type PlanBody = {
	readonly plan: Plan;
	/** Teams that a user may own. */
	readonly teams: number | null;
	/** Members of one team: its owner, the other members and the open invites. */
	readonly members: number | null;
	readonly keys: number | null;
};

export const planFields = fieldsOf<PlanBody>()('plan teams members keys');

export type PlanListBody = {readonly plans: readonly PlanBody[]};
