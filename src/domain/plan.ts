export const plans = ['free', 'starter', 'pro', 'business'] as const;

export type Plan = (typeof plans)[number];

export type PlanLimits = {
	/** Teams that a user may own. */
	readonly teams: number;
	/** Members of one team: its owner, the other members and the open invites. */
	readonly members: number;
	readonly keys: number;
};

const unlimited = Number.POSITIVE_INFINITY;

/** What each plan allows: spec.md, section 8. For a team the plan of its owner counts. */
export const planLimits: Readonly<Record<Plan, PlanLimits>> = {
	free: {teams: 0, members: 0, keys: 1},
	starter: {teams: 1, members: 3, keys: 3},
	pro: {teams: 5, members: 10, keys: 10},
	business: {teams: unlimited, members: unlimited, keys: 50},
};
