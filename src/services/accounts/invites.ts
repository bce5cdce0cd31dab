import {v7 as createId} from 'uuid';
import {normalizeAddress} from '../../domain/address.js';
import {AppError} from '../../domain/errors.js';
import {planLimits, withinPlan} from '../../domain/plan.js';
import {createSecret, hashSecret} from '../../domain/secret.js';
import {type Invite, inviteLifetimeMs} from '../../domain/team.js';
import type {User} from '../../domain/user.js';
import type {Store} from '../../store/store.js';
import type {Feed} from '../live/feed.js';
import type {Teams, TeamWithUsers} from './teams.js';

/** Tells what the token is for, and keeps it from beginning like a flag on a command line. */
const invitePrefix = 'tbx_invite_';

/** A new invite, and the only sight of its token. */
export type CreatedInvite = {readonly invite: Invite; readonly token: string};

/** How people come into teams: somebody invites an address, and the user with that address accepts, once. */
export class Invites {
	readonly #store: Pick<Store, 'teams' | 'users'>;
	readonly #teams: Teams;
	readonly #feed: Feed;
	readonly #now: () => Date;

	constructor(store: Pick<Store, 'teams' | 'users'>, teams: Teams, feed: Feed, now: () => Date) {
		this.#store = store;
		this.#teams = teams;
		this.#feed = feed;
		this.#now = now;
	}

	/**
	 * Throws `not_found`, `forbidden`, `plan_limit` (the plan of the team's owner counts), `already_member` and
	 * `invite_open`.
	 */
	async create(user: User, teamId: string, invited: Pick<Invite, 'email' | 'role'>): Promise<CreatedInvite> {
		const team = await this.#teams.permitted(user, 'invite people', teamId);
		const plan = (await this.#store.users.get(team.ownerId))?.plan ?? 'free';
		const now = this.#now();
		const token = invitePrefix + createSecret();
		const invite: Invite = {
			id: createId(),
			teamId,
			tokenHash: hashSecret(token),
			...invited,
			createdAt: now.toISOString(),
			expiresAt: new Date(now.getTime() + inviteLifetimeMs).toISOString(),
			acceptedAt: null,
		};
		await withinPlan(this.#store.teams.invite(invite, planLimits[plan].members), plan, 'members');
		return {invite, token};
	}

	/**
	 * Joins the team. Throws `invalid_invite` when the invite is unknown or expired, `forbidden` when another address was
	 * invited, `already_member`, and `invalid_invite` when it was used before.
	 */
	async accept(user: User, token: string): Promise<TeamWithUsers> {
		const tokenHash = hashSecret(token);
		const joinedAt = this.#now().toISOString();
		const invite = await this.#store.teams.inviteByHash(tokenHash);
		if (!invite || invite.expiresAt <= joinedAt) {
			throw new AppError('invalid_invite', 'The invite is unknown or has expired. Ask for a new one.');
		}

		if (normalizeAddress(invite.email) !== normalizeAddress(user.email)) {
			throw new AppError('forbidden', 'The invite is for another address. Accept it as the user with that address.');
		}

		const team = await this.#store.teams.accept(tokenHash, {userId: user.id, joinedAt});
		this.#feed.publish([{type: 'scope', userIds: [user.id]}]);
		return this.#teams.withUsers(team);
	}
}
