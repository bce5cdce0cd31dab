import {v7 as createId} from 'uuid';
import type {Plan} from '../../contract/constants.js';
import {limitReached, planLimits, withinPlan} from '../../domain/accounts/plan.js';
import {createSecret, hashSecret} from '../../domain/accounts/secrets.js';
import {
	assertMay,
	type Invite,
	inviteLifetimeMs,
	type Member,
	roleIn,
	type Team,
	type TeamAction,
} from '../../domain/accounts/team.js';
import type {User} from '../../domain/accounts/user.js';
import {AppError, type Bound, beyondLimit, found} from '../../domain/errors.js';
import {canonicalAddress} from '../../domain/mail/address.js';
import type {Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';
import type {StoredQuota} from '../quotas.js';

/** Prefix of invite tokens. It also prevents a token that begins like a command-line flag. */
const invitePrefix = 'tbx_invite_';

type TeamsOptions = {
	readonly feed: Feed;
	readonly quota: StoredQuota;
	/** Maximum of members and open invites per team, whatever the plan of the owner. */
	readonly maxMembers: Bound;
	readonly now: () => Date;
};

/** New invite. `token` is not stored and cannot be read again. */
type CreatedInvite = {readonly invite: Invite; readonly token: string};

/** Team with the users of its members. */
export type TeamWithUsers = {
	readonly team: Team;
	readonly members: ReadonlyArray<{readonly member: Member; readonly user: User}>;
};

/**
 * Teams, members and invites. An invite is for an address, and the user with that address accepts it once. All methods check first
 * whether the team exists (`not_found`), then the role of the user (`forbidden`), then everything else: outsiders learn nothing
 * about the members.
 */
export class Teams {
	readonly #store: Pick<Store, 'teams' | 'users'>;
	readonly #options: TeamsOptions;

	constructor(store: Pick<Store, 'teams' | 'users'>, options: TeamsOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Creates a team. Throws `plan_limit` and `limit_reached`. */
	async create(owner: User, name: string): Promise<TeamWithUsers> {
		const createdAt = this.#options.now().toISOString();
		const team: Team = {
			id: createId(),
			name,
			ownerId: owner.id,
			members: [{userId: owner.id, role: 'owner', joinedAt: createdAt}],
			generation: 0,
			createdAt,
		};
		await this.#options.quota.add(owner.id, 1, check =>
			withinPlan(this.#store.teams.create(team, planLimits[owner.plan].teams, check), owner.plan, 'teams'),
		);
		return this.withUsers(team);
	}

	/** Teams that the user owns or is a member of. */
	async list(user: User): Promise<readonly Team[]> {
		return this.#store.teams.listOf(user.id);
	}

	/** Reads the users of the members of a team. */
	async withUsers(team: Team): Promise<TeamWithUsers> {
		const members = await Promise.all(
			team.members.map(async member => {
				const user = await this.#store.users.get(member.userId);
				return user ? [{member, user}] : [];
			}),
		);
		return {team, members: members.flat()};
	}

	async get(user: User, id: string): Promise<TeamWithUsers> {
		return this.withUsers(await this.#permitted(user, 'see the team', id));
	}

	async rename(user: User, id: string, name: string): Promise<TeamWithUsers> {
		await this.#permitted(user, 'rename the team', id);
		return this.withUsers(found(await this.#store.teams.rename(id, name, user.id), noTeam(id)));
	}

	/** Deletes the team and its invites. Its inboxes stay with their owners. */
	async delete(user: User, id: string): Promise<void> {
		const {members} = await this.#permitted(user, 'delete the team', id);
		found(await this.#store.teams.delete(id, user.id), noTeam(id));
		await this.#options.feed.publish([{type: 'scope', userIds: members.map(({userId}) => userId)}]);
	}

	/** Removes a member. Throws `not_found` for anyone else, `owner_required` for the owner. */
	async removeMember(user: User, id: string, memberId: string): Promise<void> {
		const team = await this.#permitted(user, 'remove members', id);
		if (roleIn(team, memberId) === 'owner') {
			throw new AppError('owner_required', 'The owner cannot be removed from the team. Delete the team instead.');
		}

		found(await this.#store.teams.removeMember(id, memberId, user.id), `The team has no member "${memberId}".`);
		await this.#options.feed.publish([{type: 'scope', userIds: [memberId]}]);
	}

	/**
	 * Invites an address. Throws `not_found`, `forbidden`, `plan_limit` (of the plan of the team's owner), `limit_reached`,
	 * `already_member` and `invite_open`.
	 */
	async invite(user: User, teamId: string, invited: Pick<Invite, 'email' | 'role'>): Promise<CreatedInvite> {
		const team = await this.#permitted(user, 'invite people', teamId);
		const plan = (await this.#store.users.get(team.ownerId))?.plan ?? 'free';
		const now = this.#options.now();
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
		await this.#add(invite, plan, user.id);
		return {invite, token};
	}

	/**
	 * Joins a team. Throws `invalid_invite` for an unknown, expired or used invite, `forbidden` if it is for another address, and
	 * `already_member`.
	 */
	async accept(user: User, token: string): Promise<TeamWithUsers> {
		const tokenHash = hashSecret(token);
		const joinedAt = this.#options.now().toISOString();
		const invite = await this.#store.teams.inviteByHash(tokenHash);
		if (!invite || invite.expiresAt <= joinedAt) {
			throw new AppError('invalid_invite', 'The invite is unknown or has expired. Ask for a new one.');
		}

		if (canonicalAddress(invite.email) !== canonicalAddress(user.email)) {
			throw new AppError('forbidden', 'The invite is for another address. Accept it as the user with that address.');
		}

		const team = await this.#store.teams.accept(tokenHash, {userId: user.id, joinedAt});
		await this.#options.feed.publish([{type: 'scope', userIds: [user.id]}]);
		return this.withUsers(team);
	}

	/** Stores the invite within the smaller of two limits, of the plan and of the settings, which the error names. */
	async #add(invite: Invite, plan: Plan, by: string): Promise<void> {
		const {max} = this.#options.maxMembers;
		const limit = Math.min(max, planLimits[plan].members);
		try {
			await this.#store.teams.invite(invite, limit, by);
		} catch (error) {
			if (!(error instanceof AppError && error.code === 'plan_limit')) {
				throw error;
			}

			throw limit === max
				? beyondLimit(
						`A team can have at most ${max} members and open invites.`,
						'Remove some',
						this.#options.maxMembers,
					)
				: new AppError('plan_limit', limitReached(plan, 'members'));
		}
	}

	/** Returns the team if the user may do this. Throws `not_found` and `forbidden`. */
	async #permitted(user: User, action: TeamAction, id: string): Promise<Team> {
		const team = found(await this.#store.teams.get(id), noTeam(id));
		assertMay(user.id, action, team);
		return team;
	}
}

function noTeam(id: string): string {
	return `There is no team "${id}".`;
}

/** Ids of the team's members; none without a team. */
export async function memberIdsOf(
	teams: Pick<Store['teams'], 'get'>,
	teamId: string | null | undefined,
): Promise<readonly string[]> {
	const team = teamId == null ? undefined : await teams.get(teamId);
	return team?.members.map(({userId}) => userId) ?? [];
}
