import type {InvitedRole, Plan, Role} from '../../../../src/contract/constants.js';
import type {Step} from './story.js';

/** What can be seen of everything: for each user ever created, what is theirs, newest first. */
export type View = ReadonlyArray<{
	readonly plan: Plan;
	readonly keys: readonly number[];
	readonly teams: ReadonlyArray<{
		readonly team: number;
		readonly name: string;
		readonly members: ReadonlyArray<readonly [user: number, role: Role]>;
	}>;
} | null>;

type ModelUser = {email: string; plan: Plan; gone: boolean; turns: number[]};
type ModelTeam = {owner: number; name: string; members: Array<[number, Role]>; gone: boolean};
type ModelInvite = {team: number; email: string; role: InvitedRole; expiresAt: number; used: boolean};

const teamLimit = {free: 0, starter: 1, pro: 5, business: Infinity};
const memberLimit = {free: 0, starter: 3, pro: 10, business: Infinity};
const keyLimit = {free: 1, starter: 3, pro: 10, business: 50};

/** The rules of accounts and teams in the plainest form: lists, and the outcome of each step as "ok" or an error's code. */
export class AccountsModel {
	#now = 0;
	readonly #users: ModelUser[] = [];
	readonly #keys: Array<{user: number; gone: boolean}> = [];
	readonly #teams: ModelTeam[] = [];
	readonly #invites: ModelInvite[] = [];

	/** The outcome of the step; undefined when there is nothing yet to do it to. */
	perform(step: Step): string | undefined {
		const user = 'user' in step ? pick(this.#users, step.user) : undefined;
		const team = 'team' in step ? pick(this.#teams, step.team) : undefined;
		if (('user' in step && !user) || ('team' in step && !team)) {
			return undefined;
		}

		if (user && step.do !== 'change plan' && step.do !== 'delete user' && user.item.gone) {
			return 'unauthorized';
		}

		switch (step.do) {
			case 'create user':
				if (this.#users.some(other => !other.gone && sameAddress(other.email, step.email))) {
					return 'email_taken';
				}

				this.#users.push({email: step.email, plan: step.plan, gone: false, turns: []});
				return 'ok';
			case 'change plan':
				return user && this.#changePlan(user.item, step.plan);
			case 'delete user':
				return user && this.#deleteUser(user.at);
			case 'create keys':
				return user && Array.from({length: step.times}, () => this.#createKey(user.at, user.item)).join();
			case 'revoke key':
				return user && this.#revokeKey(user.at, step.key);
			case 'use key': {
				const key = pick(this.#keys, step.key);
				return key && (key.item.gone ? 'unauthorized' : 'ok');
			}
			case 'create team':
				return user && this.#createTeam(user.at, user.item);
			case 'accept':
				return user && this.#accept(user.at, user.item, step.invite);
			case 'pass time':
				this.passTime(step.ms);
				return 'ok';
			case 'restart':
				return 'ok';
			default:
				return user && team && this.#onTeam(step, user.at, team.item, team.at);
		}
	}

	passTime(ms: number): void {
		this.#now += ms;
	}

	view(): View {
		return this.#users.map((user, at) =>
			user.gone
				? null
				: {
						plan: user.plan,
						keys: this.#keys.flatMap((key, number) => (key.user === at && !key.gone ? [number] : [])).reverse(),
						teams: this.#teams
							.flatMap((team, number) =>
								roleOf(team, at) && !team.gone ? [{team: number, name: team.name, members: [...team.members]}] : [],
							)
							.reverse(),
					},
		);
	}

	#changePlan(user: ModelUser, plan: Plan): string {
		if (user.gone) {
			return 'not_found';
		}

		user.plan = plan;
		return 'ok';
	}

	#deleteUser(at: number): string {
		const user = this.#users[at];
		if (!user || user.gone) {
			return 'not_found';
		}

		user.gone = true;
		for (const key of this.#keys) {
			key.gone ||= key.user === at;
		}

		for (const team of this.#teams) {
			team.gone ||= team.owner === at;
			team.members = team.members.filter(([member]) => member !== at);
		}

		return 'ok';
	}

	#createKey(at: number, user: ModelUser): string {
		if (this.#keys.filter(key => key.user === at && !key.gone).length >= keyLimit[user.plan]) {
			return 'plan_limit';
		}

		if (user.turns.filter(turn => turn > this.#now - 60_000).length >= 10) {
			return 'rate_limited';
		}

		user.turns.push(this.#now);
		this.#keys.push({user: at, gone: false});
		return 'ok';
	}

	#revokeKey(at: number, number: number): string | undefined {
		const key = pick(this.#keys, number);
		if (!key) {
			return undefined;
		}

		if (key.item.user !== at || key.item.gone) {
			return 'not_found';
		}

		key.item.gone = true;
		return 'ok';
	}

	#createTeam(at: number, {plan}: ModelUser): string {
		if (this.#teams.filter(team => team.owner === at && !team.gone).length >= teamLimit[plan]) {
			return 'plan_limit';
		}

		this.#teams.push({owner: at, name: 'Team', members: [[at, 'owner']], gone: false});
		return 'ok';
	}

	#accept(at: number, user: ModelUser, number: number): string | undefined {
		const invite = pick(this.#invites, number)?.item;
		const team = invite && this.#teams[invite.team];
		if (!team) {
			return undefined;
		}

		if (team.gone || invite.expiresAt <= this.#now) {
			return 'invalid_invite';
		}

		if (!sameAddress(invite.email, user.email)) {
			return 'forbidden';
		}

		if (roleOf(team, at)) {
			return 'already_member';
		}

		if (invite.used) {
			return 'invalid_invite';
		}

		invite.used = true;
		team.members.push([at, invite.role]);
		return 'ok';
	}

	#onTeam(step: Extract<Step, {team: number}>, at: number, team: ModelTeam, teamAt: number): string {
		const role = roleOf(team, at);
		if (team.gone) {
			return 'not_found';
		}

		const permitted =
			step.do === 'see team'
				? role
				: step.do === 'invite' || step.do === 'remove member'
					? role && role !== 'member'
					: role === 'owner';
		if (!permitted) {
			return 'forbidden';
		}

		switch (step.do) {
			case 'rename team':
				team.name = step.name;
				return 'ok';
			case 'delete team':
				team.gone = true;
				return 'ok';
			case 'invite':
				return this.#invite(step, team, teamAt);
			case 'remove member': {
				const member = pick(this.#users, step.member)?.at ?? -1;
				if (team.owner === member) {
					return 'owner_required';
				}

				if (!roleOf(team, member)) {
					return 'not_found';
				}

				team.members = team.members.filter(([other]) => other !== member);
				return 'ok';
			}
			default:
				return 'ok';
		}
	}

	#invite(step: Extract<Step, {do: 'invite'}>, team: ModelTeam, teamAt: number): string {
		const open = this.#invites.filter(invite => invite.team === teamAt && !invite.used && invite.expiresAt > this.#now);
		const plan = this.#users[team.owner]?.plan ?? 'free';
		if (team.members.length + open.length >= memberLimit[plan]) {
			return 'plan_limit';
		}

		if (team.members.some(([member]) => sameAddress(this.#users[member]?.email ?? '', step.email))) {
			return 'already_member';
		}

		if (open.some(invite => sameAddress(invite.email, step.email))) {
			return 'invite_open';
		}

		const expiresAt = this.#now + 7 * 86_400_000;
		this.#invites.push({team: teamAt, email: step.email, role: step.role, expiresAt, used: false});
		return 'ok';
	}
}

/** The item of that number, counted round, and where it is. */
export function pick<Item>(items: readonly Item[], number: number): {item: Item; at: number} | undefined {
	const at = items.length === 0 ? 0 : number % items.length;
	const item = items[at];
	return item === undefined ? undefined : {item, at};
}

const roleOf = (team: ModelTeam, user: number) => team.members.find(([member]) => member === user)?.[1];

const sameAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();
