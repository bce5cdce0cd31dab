import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {onTestFinished} from 'vitest';
import {defaultSettings} from '../../src/config/settings.js';
import type {Plan} from '../../src/contract/constants.js';
import {assemble} from '../../src/daemon/assemble.js';
import type {Resources} from '../../src/daemon/resources.js';
import {createSecret} from '../../src/domain/accounts/secrets.js';
import type {User} from '../../src/domain/accounts/user.js';
import type {Services} from '../../src/http/services.js';
import type {Store} from '../../src/store/port.js';
import {openTestStore} from './open-store.js';
import {silent as log, testResources} from './resources.js';

/** Account services on a real store in a temporary folder. The clock only advances by `passTime`. */
export class Accounts {
	readonly operatorToken = createSecret();
	readonly tokenSecret = createSecret();
	readonly dir: string;
	now = new Date('2026-01-01T00:00:00.000Z');
	store: Store;
	services: Services;

	private constructor(dir: string, store: Store) {
		this.dir = dir;
		this.store = store;
		this.services = this.#assemble();
	}

	static async open(): Promise<Accounts> {
		const dir = await mkdtemp(path.join(tmpdir(), 'tinbox-accounts-'));
		return new Accounts(dir, await openTestStore({dir, log}));
	}

	get resources(): Resources {
		const {store, operatorToken, tokenSecret} = this;
		return testResources(store, {operatorToken, tokenSecret, now: () => this.now});
	}

	passTime(ms: number): void {
		this.now = new Date(this.now.getTime() + ms);
	}

	async restart(): Promise<void> {
		await this.services.credentials.stop();
		await this.store.close();
		this.store = await openTestStore({dir: this.dir, log});
		this.services = this.#assemble();
	}

	async close(): Promise<void> {
		await this.store.close();
		await rm(this.dir, {recursive: true});
	}

	/** Creates the user `<name>@example.com`. */
	async user(name: string, plan: Plan = 'business'): Promise<User> {
		return this.services.users.create({name, email: `${name}@example.com`, plan});
	}

	#assemble(): Services {
		return assemble(defaultSettings(this.dir), this.resources).services;
	}
}

/** Opens accounts that are closed with the test. */
export async function openAccounts(): Promise<Accounts> {
	const accounts = await Accounts.open();
	onTestFinished(async () => accounts.close());
	return accounts;
}
