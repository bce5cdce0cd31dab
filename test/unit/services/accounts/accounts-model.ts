import fc from 'fast-check';
import {type InvitedRole, invitedRoles, type Plan, plans, type Role} from '../../../../src/contract/constants.js';

/** Visible state: for each user ever created, the plan, keys and teams, newest first. */
export type View = ReadonlyArray<{
	readonly plan: Plan;
	readonly keys: readonly number[];
	readonly teams: ReadonlyArray<{
		readonly team: number;
		readonly name: string;
		readonly members: ReadonlyArray<readonly [user: number, role: Role]>;
	}>;
} | null>;

type ModelUser = {email: string; plan: Plan; deleted: boolean; turns: number[]};
type ModelTeam = {owner: number; name: string; members: Array<[number, Role]>; deleted: boolean};
type ModelInvite = {team: number; email: string; role: InvitedRole; expiresAt: number; used: boolean};

const teamLimit = {free: 0, starter: 1, pro: 5, business: Infinity};
const memberLimit = {free: 0, starter: 3, pro: 10, business: Infinity};
const keyLimit = {free: 1, starter: 3, pro: 10, business: 50};

/** Reference model of accounts and teams. The outcome of a step is "ok" or the code of an error. */
export class AccountsModel {
	#now = 0;
	readonly #users: ModelUser[] = [];
	readonly #keys: Array<{user: number; deleted: boolean}> = [];
	readonly #teams: ModelTeam[] = [];
	readonly #invites: ModelInvite[] = [];

	/** Outcome of the step, or undefined if its target does not exist yet. */
	perform(step: Step): string | undefined {
		const user = 'user' in step ? pick(this.#users, step.user) : undefined;
		const team = 'team' in step ? pick(this.#teams, step.team) : undefined;
		if (('user' in step && !user) || ('team' in step && !team)) {
			return undefined;
		}

		if (user && step.do !== 'change plan' && step.do !== 'delete user' && user.item.deleted) {
			return 'unauthorized';
		}

		switch (step.do) {
			case 'create user':
				if (this.#users.some(other => !other.deleted && sameAddress(other.email, step.email))) {
					return 'email_taken';
				}

				this.#users.push({email: step.email, plan: step.plan, deleted: false, turns: []});
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
				return key && (key.item.deleted ? 'unauthorized' : 'ok');
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
			user.deleted
				? null
				: {
						plan: user.plan,
						keys: this.#keys.flatMap((key, number) => (key.user === at && !key.deleted ? [number] : [])).reverse(),
						teams: this.#teams
							.flatMap((team, number) =>
								roleOf(team, at) && !team.deleted ? [{team: number, name: team.name, members: [...team.members]}] : [],
							)
							.reverse(),
					},
		);
	}

	#changePlan(user: ModelUser, plan: Plan): string {
		if (user.deleted) {
			return 'not_found';
		}

		user.plan = plan;
		return 'ok';
	}

	#deleteUser(at: number): string {
		const user = this.#users[at];
		if (!user || user.deleted) {
			return 'not_found';
		}

		user.deleted = true;
		for (const key of this.#keys) {
			key.deleted ||= key.user === at;
		}

		for (const team of this.#teams) {
			team.deleted ||= team.owner === at;
			team.members = team.members.filter(([member]) => member !== at);
		}

		return 'ok';
	}

	#createKey(at: number, user: ModelUser): string {
		if (this.#keys.filter(key => key.user === at && !key.deleted).length >= keyLimit[user.plan]) {
			return 'plan_limit';
		}

		if (user.turns.filter(turn => turn > this.#now - 60_000).length >= 10) {
			return 'rate_limited';
		}

		user.turns.push(this.#now);
		this.#keys.push({user: at, deleted: false});
		return 'ok';
	}

	#revokeKey(at: number, number: number): string | undefined {
		const key = pick(this.#keys, number);
		if (!key) {
			return undefined;
		}

		if (key.item.user !== at || key.item.deleted) {
			return 'not_found';
		}

		key.item.deleted = true;
		return 'ok';
	}

	#createTeam(at: number, {plan}: ModelUser): string {
		if (this.#teams.filter(team => team.owner === at && !team.deleted).length >= teamLimit[plan]) {
			return 'plan_limit';
		}

		this.#teams.push({owner: at, name: 'Team', members: [[at, 'owner']], deleted: false});
		return 'ok';
	}

	#accept(at: number, user: ModelUser, number: number): string | undefined {
		const invite = pick(this.#invites, number)?.item;
		const team = invite && this.#teams[invite.team];
		if (!team) {
			return undefined;
		}

		if (team.deleted || invite.expiresAt <= this.#now) {
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
		if (team.deleted) {
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
				team.deleted = true;
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

/** Item with this number, modulo the number of items, and its index. */
export function pick<Item>(items: readonly Item[], number: number): {item: Item; at: number} | undefined {
	const at = items.length === 0 ? 0 : number % items.length;
	const item = items[at];
	return item === undefined ? undefined : {item, at};
}

const roleOf = (team: ModelTeam, user: number) => team.members.find(([member]) => member === user)?.[1];

const sameAddress = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Step of a scenario. Users, keys, teams and invites are numbers in order of creation, modulo their count. */
export type Step =
	| {readonly do: 'create user'; readonly email: string; readonly plan: Plan}
	| {readonly do: 'change plan'; readonly user: number; readonly plan: Plan}
	| {readonly do: 'delete user'; readonly user: number}
	| {readonly do: 'create keys'; readonly user: number; readonly times: number}
	| {readonly do: 'revoke key'; readonly user: number; readonly key: number}
	| {readonly do: 'use key'; readonly key: number}
	| {readonly do: 'create team'; readonly user: number}
	| {readonly do: 'see team' | 'delete team'; readonly user: number; readonly team: number}
	| {readonly do: 'rename team'; readonly user: number; readonly team: number; readonly name: string}
	| {
			readonly do: 'invite';
			readonly user: number;
			readonly team: number;
			readonly email: string;
			readonly role: InvitedRole;
	  }
	| {readonly do: 'accept'; readonly user: number; readonly invite: number}
	| {readonly do: 'remove member'; readonly user: number; readonly team: number; readonly member: number}
	| {readonly do: 'pass time'; readonly ms: number}
	| {readonly do: 'restart'};

const index = fc.nat(3);
const email = fc.constantFrom(
	'ann@example.com',
	'bob@example.com',
	'Bob@Example.com',
	'cyd@example.com',
	'dan@example.com',
);
const plan = fc.constantFrom(...plans);
const is = <const Name extends Step['do']>(name: Name) => fc.constant(name);

/** Steps of all kinds; steps that often succeed have more weight. */
const anyStep: fc.Arbitrary<Step> = fc.oneof(
	{weight: 2, arbitrary: fc.record({do: is('create user'), email, plan})},
	{weight: 2, arbitrary: fc.record({do: is('change plan'), user: index, plan})},
	{weight: 1, arbitrary: fc.record({do: is('delete user'), user: index})},
	{weight: 2, arbitrary: fc.record({do: is('create keys'), user: index, times: fc.constantFrom(1, 2, 11)})},
	{weight: 1, arbitrary: fc.record({do: is('revoke key'), user: index, key: index})},
	{weight: 1, arbitrary: fc.record({do: is('use key'), key: index})},
	{weight: 2, arbitrary: fc.record({do: is('create team'), user: index})},
	{weight: 1, arbitrary: fc.record({do: is('see team'), user: index, team: index})},
	{
		weight: 1,
		arbitrary: fc.record({do: is('rename team'), user: index, team: index, name: fc.constantFrom('Red', 'Blue')}),
	},
	{weight: 1, arbitrary: fc.record({do: is('delete team'), user: index, team: index})},
	{
		weight: 8,
		arbitrary: fc.record({do: is('invite'), user: index, team: index, email, role: fc.constantFrom(...invitedRoles)}),
	},
	{weight: 16, arbitrary: fc.record({do: is('accept'), user: index, invite: index})},
	{weight: 4, arbitrary: fc.record({do: is('remove member'), user: index, team: index, member: index})},
	{
		weight: 1,
		arbitrary: fc.record({do: is('pass time'), ms: fc.constantFrom(20_000, 3_600_000, 3 * 86_400_000, 7 * 86_400_000)}),
	},
	{weight: 1, arbitrary: fc.record({do: is('restart')})},
);

/** Three users, two of them in a team, and random steps of them. */
export const anyScenario: fc.Arbitrary<readonly Step[]> = fc
	.tuple(fc.constantFrom('starter', 'pro', 'business'), plan, plan, fc.array(anyStep, {maxLength: 40, size: 'max'}))
	.map(([first, second, third, steps]) => [
		{do: 'create user', email: 'ann@example.com', plan: first},
		{do: 'create user', email: 'bob@example.com', plan: second},
		{do: 'create user', email: 'cyd@example.com', plan: third},
		{do: 'create team', user: 0},
		{do: 'invite', user: 0, team: 0, email: 'bob@example.com', role: 'admin'},
		{do: 'accept', user: 1, invite: 0},
		...steps,
	]);
