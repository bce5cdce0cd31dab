import type {Plan} from '../../contract/constants.js';
import {AppError} from '../errors.js';

/** Limits of a plan; infinite for no limit. */
export type PlanLimits = Readonly<Record<'teams' | 'members' | 'keys', number>>;

const unlimited = Number.POSITIVE_INFINITY;

/** Limits of each plan. For a team, the plan of its owner counts. */
export const planLimits: Readonly<Record<Plan, PlanLimits>> = {
	free: {teams: 0, members: 0, keys: 1},
	starter: {teams: 1, members: 3, keys: 3},
	pro: {teams: 5, members: 10, keys: 10},
	business: {teams: unlimited, members: unlimited, keys: 50},
};

const labels: Readonly<Record<keyof PlanLimits, string>> = {teams: 'team', members: 'team member', keys: 'API key'};

/** Returns the error message for a reached limit. */
export function limitReached(plan: Plan, resource: keyof PlanLimits): string {
	const limit = planLimits[plan][resource];
	const allowed = limit === 0 ? `no ${labels[resource]}s` : `${limit} ${labels[resource]}${limit === 1 ? '' : 's'}`;
	const makeRoom = limit === 0 ? '' : ', or delete some first';
	return `The ${plan} plan allows ${allowed}${resource === 'members' ? ', open invites included' : ''}. Ask the operator for a larger plan${makeRoom}.`;
}

/** Awaits a write, and adds the limit of the plan to a `plan_limit` error. */
export async function withinPlan<T>(write: Promise<T>, plan: Plan, resource: keyof PlanLimits): Promise<T> {
	try {
		return await write;
	} catch (error) {
		throw error instanceof AppError && error.code === 'plan_limit'
			? new AppError('plan_limit', limitReached(plan, resource))
			: error;
	}
}
