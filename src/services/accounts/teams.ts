import {v7 as createId} from 'uuid';
import {AppError, found} from '../../domain/errors.js';
import {planLimits, withinPlan} from '../../domain/plan.js';
import {assertMay, type Member, roleIn, type Team, type TeamAction} from '../../domain/team.js';
import type {User} from '../../domain/user.js';
import type {Store} from '../../store/store.js';
import type {Feed} from '../live/feed.js';

/** A team whose members are known by name. */
export type TeamWithUsers = {
	readonly team: Team;
	readonly members: ReadonlyArray<{readonly member: Member; readonly user: User}>;
};

/**
 * Teams and who is in them. Each operation looks first whether the team exists (`not_found`), then whether the user's
 * role permits it (`forbidden`), and only then at anything else: an outsider learns nothing about the members.
 */
export class Teams {
	readonly #store: Pick<Store, 'teams' | 'users'>;
	readonly #feed: Feed;
	readonly #now: () => Date;

	constructor(store: Pick<Store, 'teams' | 'users'>, feed: Feed, now: () => Date) {
		this.#store = store;
		this.#feed = feed;
		this.#now = now;
	}

	/** Throws `plan_limit`. */
	async create(owner: User, name: string): Promise<TeamWithUsers> {
		const createdAt = this.#now().toISOString();
		const team: Team = {
			id: createId(),
			name,
			ownerId: owner.id,
			members: [{userId: owner.id, role: 'owner', joinedAt: createdAt}],
			createdAt,
		};
		await withinPlan(this.#store.teams.create(team, planLimits[owner.plan].teams), owner.plan, 'teams');
		return this.withUsers(team);
	}

	/** The teams that the user owns or is a member of. */
	async list(user: User): Promise<readonly TeamWithUsers[]> {
		return Promise.all((await this.#store.teams.listOf(user.id)).map(team => this.withUsers(team)));
	}

	async get(user: User, id: string): Promise<TeamWithUsers> {
		return this.withUsers(await this.permitted(user, 'see the team', id));
	}

	async rename(user: User, id: string, name: string): Promise<TeamWithUsers> {
		await this.permitted(user, 'rename the team', id);
		return this.withUsers(found(await this.#store.teams.rename(id, name), noTeam(id)));
	}

	/** Deletes the team and its invites; its inboxes stay with those who made them. */
	async delete(user: User, id: string): Promise<void> {
		const {members} = await this.permitted(user, 'delete the team', id);
		found(await this.#store.teams.delete(id), noTeam(id));
		this.#feed.publish([{type: 'scope', userIds: members.map(({userId}) => userId)}]);
	}

	/** Throws `not_found` for somebody who is no member, `owner_stays` for the owner. */
	async removeMember(user: User, id: string, memberId: string): Promise<void> {
		const team = await this.permitted(user, 'remove members', id);
		if (roleIn(team, memberId) === 'owner') {
			throw new AppError('owner_stays', 'The owner cannot be removed from the team. Delete the team instead.');
		}

		found(await this.#store.teams.removeMember(id, memberId), `The team has no member "${memberId}".`);
		this.#feed.publish([{type: 'scope', userIds: [memberId]}]);
	}

	/** The team, if the user may do that to it. */
	async permitted(user: User, action: TeamAction, id: string): Promise<Team> {
		const team = found(await this.#store.teams.get(id), noTeam(id));
		assertMay(user.id, action, team);
		return team;
	}

	async withUsers(team: Team): Promise<TeamWithUsers> {
		const members = await Promise.all(
			team.members.map(async member => {
				const user = await this.#store.users.get(member.userId);
				return user ? [{member, user}] : [];
			}),
		);
		return {team, members: members.flat()};
	}
}

function noTeam(id: string): string {
	return `There is no team "${id}".`;
}
