import {v7 as createId} from 'uuid';
import {AppError} from '../domain/errors.js';
import type {Plan} from '../domain/plan.js';
import type {User} from '../domain/user.js';
import type {Store} from '../store/store.js';

/** The people whom the operator lets in. */
export class Users {
	readonly #store: Pick<Store, 'users'>;
	readonly #now: () => Date;

	constructor(store: Pick<Store, 'users'>, now: () => Date) {
		this.#store = store;
		this.#now = now;
	}

	/** Throws `email_taken`. */
	async create(fields: {readonly name: string; readonly email: string; readonly plan: Plan}): Promise<User> {
		const user: User = {id: createId(), ...fields, createdAt: this.#now().toISOString()};
		await this.#store.users.create(user);
		return user;
	}

	async list(): Promise<readonly User[]> {
		return this.#store.users.list();
	}

	/** A smaller plan takes nothing away; it only stops what is new. Throws `not_found`. */
	async update(id: string, patch: {readonly name?: string; readonly plan?: Plan}): Promise<User> {
		const user = await this.#store.users.update(id, patch);
		if (!user) {
			throw unknownUser(id);
		}

		return user;
	}

	/** Deletes the user with all that is the user's own, owned teams included. Throws `not_found`. */
	async delete(id: string): Promise<void> {
		if (!(await this.#store.users.delete(id))) {
			throw unknownUser(id);
		}
	}
}

export function unknownUser(id: string): AppError {
	return new AppError('not_found', `There is no user "${id}".`);
}
