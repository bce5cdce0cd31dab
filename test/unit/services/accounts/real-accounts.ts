import type {User} from '../../../../src/domain/accounts/user.js';
import {AppError} from '../../../../src/domain/errors.js';
import type {Accounts} from '../../../helpers/accounts.js';
import {pick, type Step, type View} from './accounts-model.js';

/** Runs a scenario on the real services, which scenarios share: each uses its own addresses. */
export class RealAccounts {
	readonly #accounts: Accounts;
	readonly #scenario: string;
	readonly #users: Array<{readonly id: string; readonly token: string}> = [];
	readonly #keys: Array<{readonly id: string; readonly raw: string}> = [];
	readonly #teams: string[] = [];
	readonly #inviteTokens: string[] = [];

	constructor(accounts: Accounts, scenario: string) {
		this.#accounts = accounts;
		this.#scenario = scenario;
	}

	/** "ok" or the code of the error; for several keys, joined by commas. */
	async perform(step: Step): Promise<string> {
		return outcomeOf(this.#perform(step));
	}

	passTime(ms: number): void {
		this.#accounts.passTime(ms);
	}

	async view(): Promise<View> {
		const {users, keys, teams} = this.#accounts.services;
		const userNumber = (id: string) => this.#users.findIndex(user => user.id === id);
		const present = new Map((await users.list()).map(user => [user.id, user]));
		const viewOf = async (user: User) => ({
			plan: user.plan,
			keys: (await keys.list(user)).map(({id}) => this.#keys.findIndex(key => key.id === id)),
			teams: (await teams.list(user)).map(({id, name, members}) => ({
				team: this.#teams.indexOf(id),
				name,
				members: members.map(({userId, role}) => [userNumber(userId), role] as const),
			})),
		});
		return Promise.all(
			this.#users.map(async ({id}) => {
				const user = present.get(id);
				return user ? viewOf(user) : null;
			}),
		);
	}

	async #perform(step: Step): Promise<unknown> {
		const {credentials, users, keys, teams} = this.#accounts.services;
		const team = 'team' in step ? (pick(this.#teams, step.team)?.item ?? '') : '';
		switch (step.do) {
			case 'create user':
				return this.#createUser(step);
			case 'change plan':
				return users.update(this.#userId(step.user), {plan: step.plan});
			case 'delete user':
				return users.delete(this.#userId(step.user));
			case 'create keys':
				return this.#createKeys(await this.#caller(step.user), step.times);
			case 'revoke key':
				return keys.revoke(await this.#caller(step.user), pick(this.#keys, step.key)?.item.id ?? '');
			case 'use key':
				return credentials.byKey(pick(this.#keys, step.key)?.item.raw ?? '');
			case 'create team':
				return this.#teams.push((await teams.create(await this.#caller(step.user), 'Team')).team.id);
			case 'see team':
				return teams.get(await this.#caller(step.user), team);
			case 'rename team':
				return teams.rename(await this.#caller(step.user), team, step.name);
			case 'delete team':
				return teams.delete(await this.#caller(step.user), team);
			case 'invite':
				return this.#invite(step, team);
			case 'accept':
				return teams.accept(await this.#caller(step.user), pick(this.#inviteTokens, step.invite)?.item ?? '');
			case 'remove member':
				return teams.removeMember(await this.#caller(step.user), team, this.#userId(step.member));
			case 'pass time':
				return this.passTime(step.ms);
			case 'restart':
				return this.#accounts.restart();
		}
	}

	async #createUser({email, plan}: Extract<Step, {do: 'create user'}>): Promise<void> {
		const {credentials, users} = this.#accounts.services;
		const {id} = await users.create({name: 'User', email: this.#own(email), plan});
		const {token} = await credentials.issueToken(id, 1000 * 86_400);
		this.#users.push({id, token});
	}

	async #createKeys(user: User, times: number): Promise<string> {
		const outcomes: string[] = [];
		for (let count = 0; count < times; count++) {
			const creation = this.#accounts.services.keys.create(user, 'Key');
			outcomes.push(await outcomeOf(creation.then(({key, raw}) => this.#keys.push({id: key.id, raw}))));
		}

		return outcomes.join();
	}

	async #invite({user, email, role}: Extract<Step, {do: 'invite'}>, team: string): Promise<void> {
		const {teams} = this.#accounts.services;
		const {token} = await teams.invite(await this.#caller(user), team, {email: this.#own(email), role});
		this.#inviteTokens.push(token);
	}

	/** Authenticates the user; throws after the user was deleted. */
	async #caller(user: number): Promise<User> {
		return this.#accounts.services.credentials.byToken(pick(this.#users, user)?.item.token ?? '');
	}

	/** Address of this scenario. */
	#own(email: string): string {
		return `${this.#scenario}-${email}`;
	}

	#userId(user: number): string {
		return pick(this.#users, user)?.item.id ?? '';
	}
}

async function outcomeOf(work: Promise<unknown>): Promise<string> {
	return work.then(
		result => (typeof result === 'string' ? result : 'ok'),
		error => {
			if (error instanceof AppError) {
				return error.code;
			}

			throw error;
		},
	);
}
