import {v7 as createId} from 'uuid';
import type {User} from '../../domain/accounts/user.js';
import {found} from '../../domain/errors.js';
import type {Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';

/** Users, whom the operator manages. */
export class Users {
	readonly #store: Pick<Store, 'users' | 'teams'>;
	readonly #feed: Feed;
	readonly #now: () => Date;

	constructor(store: Pick<Store, 'users' | 'teams'>, feed: Feed, now: () => Date) {
		this.#store = store;
		this.#feed = feed;
		this.#now = now;
	}

	/** Creates a user. Throws `email_taken`. */
	async create(fields: Pick<User, 'name' | 'email' | 'plan'>): Promise<User> {
		const user: User = {id: createId(), ...fields, createdAt: this.#now().toISOString()};
		await this.#store.users.create(user);
		return user;
	}

	/** Finds the user with this email, or creates one. */
	async ensure(fields: Pick<User, 'name' | 'email' | 'plan'>): Promise<User> {
		return (await this.#store.users.byEmail(fields.email)) ?? this.create(fields);
	}

	async list(): Promise<readonly User[]> {
		return this.#store.users.list();
	}

	/** Changes a user. A smaller plan deletes nothing, and only limits additions. Throws `not_found`. */
	async update(id: string, patch: Partial<Pick<User, 'name' | 'plan'>>): Promise<User> {
		return found(await this.#store.users.update(id, patch), noUser(id));
	}

	/** Deletes a user with everything that the user owns, teams included. Throws `not_found`. */
	async delete(id: string): Promise<void> {
		const teams = await this.#store.teams.listOf(id);
		found(await this.#store.users.delete(id), noUser(id));
		const memberIds = teams.flatMap(({members}) => members.map(({userId}) => userId));
		await this.#feed.publish([{type: 'scope', userIds: [id, ...memberIds]}]);
	}
}

/** Message of a `not_found` error. */
export function noUser(id: string): string {
	return `There is no user "${id}".`;
}
