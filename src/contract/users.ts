import type {Plan} from './constants.js';

export type UserBody = {
	readonly id: string;
	readonly name: string;
	readonly email: string;
	readonly plan: Plan;
	readonly created_at: string;
};

export type UserListBody = {readonly users: readonly UserBody[]};

export type CreateUser = {
	readonly name: string;
	readonly email: string;
	/** Plan (default `free`). */
	readonly plan?: Plan | undefined;
};

export type UpdateUser = {readonly name?: string | undefined; readonly plan?: Plan | undefined};

export type CreateToken = {
	/** Lifetime of the token in seconds (default 30 days). */
	readonly expires_in?: number | undefined;
};

export type TokenBody = {readonly token: string; readonly expires_at: string};

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

export type PlanListBody = {readonly plans: readonly PlanBody[]};
