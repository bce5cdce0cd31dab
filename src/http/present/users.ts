import type {Plan} from '../../contract/constants.js';
import type {PlanBody, TokenBody, UserBody} from '../../contract/users.js';
import {planLimits} from '../../domain/accounts/plan.js';
import type {User} from '../../domain/accounts/user.js';
import type {IssuedToken} from '../../services/accounts/credentials.js';

export function userBody({id, name, email, plan, createdAt}: User): UserBody {
	return {id, name, email, plan, created_at: createdAt};
}

/** An infinite limit is written as null: JSON has no other form for it. */
export function planBody(plan: Plan): PlanBody {
	return {plan, ...planLimits[plan]};
}

export function tokenBody({token, expiresAt}: IssuedToken): TokenBody {
	return {token, expires_at: expiresAt};
}
