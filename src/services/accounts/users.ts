import {v7 as createId} from 'uuid';
import type {User} from '../../domain/accounts/user.js';
import {found} from '../../domain/errors.js';
import type {Store} from '../../store/port.js';
import type {Feed} from '../live/feed.js';

/** The people whom the operator lets in. */
export class Users {
	readonly #store: Pick<Store, 'users' | 'teams'>;
	readonly #feed: Feed;
	readonly #now: () => Date;

	constructor(store: Pick<Store, 'users' | 'teams'>, feed: Feed, now: () => Date) {
		this.#store = store;
		this.#feed = feed;
		this.#now = now;
	}

	/** Throws `email_taken`. */
	async create(fields: Pick<User, 'name' | 'email' | 'plan'>): Promise<User> {
		const user: User = {id: createId(), ...fields, createdAt: this.#now().toISOString()};
		await this.#store.users.create(user);
		return user;
	}

	/** The user with this email, made if there is none. */
	async ensure(fields: Pick<User, 'name' | 'email' | 'plan'>): Promise<User> {
		return (await this.#store.users.byEmail(fields.email)) ?? this.create(fields);
	}

	async list(): Promise<readonly User[]> {
		return this.#store.users.list();
	}

	/** A smaller plan takes nothing away; it only stops what is new. Throws `not_found`. */
	async update(id: string, patch: Partial<Pick<User, 'name' | 'plan'>>): Promise<User> {
		return found(await this.#store.users.update(id, patch), noUser(id));
	}

	/** Deletes the user with all that is the user's own, owned teams included. Throws `not_found`. */
	async delete(id: string): Promise<void> {
		const teams = await this.#store.teams.listOf(id);
		found(await this.#store.users.delete(id), noUser(id));
		const memberIds = teams.flatMap(({members}) => members.map(({userId}) => userId));
		await this.#feed.publish([{type: 'scope', userIds: [id, ...memberIds]}]);
	}
}

/** The sentence of a `not_found`. */
export function noUser(id: string): string {
	return `There is no user "${id}".`;
}
