import type {Plan} from '../../contract/constants.js';
import {AppError} from '../errors.js';

/** The numbers of a `PlanBody`; infinite is any number. */
export type PlanLimits = Readonly<Record<'teams' | 'members' | 'keys', number>>;

const unlimited = Number.POSITIVE_INFINITY;

/** What each plan allows. For a team the plan of its owner counts. */
export const planLimits: Readonly<Record<Plan, PlanLimits>> = {
	free: {teams: 0, members: 0, keys: 1},
	starter: {teams: 1, members: 3, keys: 3},
	pro: {teams: 5, members: 10, keys: 10},
	business: {teams: unlimited, members: unlimited, keys: 50},
};

const counted: Readonly<Record<keyof PlanLimits, string>> = {teams: 'team', members: 'team member', keys: 'API key'};

/** The sentence for whoever has reached the limit of a plan. */
export function limitReached(plan: Plan, what: keyof PlanLimits): string {
	const limit = planLimits[plan][what];
	const allowed = limit === 0 ? `no ${counted[what]}s` : `${limit} ${counted[what]}${limit === 1 ? '' : 's'}`;
	const makeRoom = limit === 0 ? '' : ', or delete some first';
	return `The ${plan} plan allows ${allowed}${what === 'members' ? ', open invites included' : ''}. Ask the operator for a larger plan${makeRoom}.`;
}

/** Waits for a write that a plan bounds; its refusal then says which plan allows how much. */
export async function withinPlan<T>(write: Promise<T>, plan: Plan, what: keyof PlanLimits): Promise<T> {
	try {
		return await write;
	} catch (error) {
		throw error instanceof AppError && error.code === 'plan_limit'
			? new AppError('plan_limit', limitReached(plan, what))
			: error;
	}
}
