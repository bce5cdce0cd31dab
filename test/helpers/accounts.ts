import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {onTestFinished} from 'vitest';
import type {Plan} from '../../src/domain/plan.js';
import {createSecret} from '../../src/domain/secret.js';
import type {User} from '../../src/domain/user.js';
import {Credentials} from '../../src/services/credentials.js';
import {Invites} from '../../src/services/invites.js';
import {Keys} from '../../src/services/keys.js';
import {Teams} from '../../src/services/teams.js';
import {Users} from '../../src/services/users.js';
import {openJsonStore} from '../../src/store/json/open.js';
import type {Store} from '../../src/store/store.js';

const log = {info: () => {}, warn: () => {}, error: () => {}};

/** The account services over a real store in a folder of their own. Time stands still unless a test moves it. */
export class Accounts {
	readonly operatorToken = createSecret();
	readonly tokenSecret = createSecret();
	readonly #dir: string;
	now = new Date('2026-01-01T00:00:00.000Z');
	store: Store;
	services: ReturnType<typeof createServices>;

	private constructor(dir: string, store: Store) {
		this.#dir = dir;
		this.store = store;
		this.services = createServices(this);
	}

	static async open(): Promise<Accounts> {
		const dir = await mkdtemp(path.join(tmpdir(), 'tinbox-accounts-'));
		return new Accounts(dir, await openJsonStore({dir, log}));
	}

	passTime(ms: number): void {
		this.now = new Date(this.now.getTime() + ms);
	}

	async restart(): Promise<void> {
		await this.services.credentials.stop();
		await this.store.close();
		this.store = await openJsonStore({dir: this.#dir, log});
		this.services = createServices(this);
	}

	async close(): Promise<void> {
		await this.store.close();
		await rm(this.#dir, {recursive: true});
	}

	/** A user with that name, `<name>@example.com`. */
	async user(name: string, plan: Plan = 'business'): Promise<User> {
		return this.services.users.create({name, email: `${name}@example.com`, plan});
	}
}

function createServices(accounts: Accounts) {
	const {store, operatorToken, tokenSecret} = accounts;
	const now = () => accounts.now;
	const teams = new Teams(store, now);
	return {
		credentials: new Credentials(store, {operatorToken, tokenSecret, now}),
		users: new Users(store, now),
		keys: new Keys(store, now),
		teams,
		invites: new Invites(store, teams, now),
	};
}

/** Accounts for one test. */
export async function openAccounts(): Promise<Accounts> {
	const accounts = await Accounts.open();
	onTestFinished(async () => accounts.close());
	return accounts;
}
