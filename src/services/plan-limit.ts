import {AppError} from '../domain/errors.js';
import {limitReached, type Plan, type PlanLimits} from '../domain/plan.js';

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
