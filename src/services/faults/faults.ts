import {faultLimits, maxLimit, type Page} from '../../contract/constants.js';
import {isLocalUser, type User} from '../../domain/accounts/user.js';
import {found, invalidField} from '../../domain/errors.js';
import {type CountedFault, type FaultHit, makeFault, type NewFault} from '../../domain/faults/fault.js';
import {regexesIn} from '../../domain/faults/match.js';
import type {FeedItem} from '../../domain/feed.js';
import {isExpired} from '../../domain/mail/inbox.js';
import type {Parser} from '../../mime/parser.js';
import type {Rows, Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';
import type {Inboxes} from '../inboxes/inboxes.js';

type FaultsOptions = ExpiryOptions & {
	readonly inboxes: Pick<Inboxes, 'visible'>;
	readonly parser: Pick<Parser, 'patternProblem'>;
};

/** Owner of faults: an inbox that this user can see, or the daemon (null), which is not checked here. */
export type FaultOwner = {readonly user: User; readonly inboxName: string} | null;

/** Faults of inboxes and of the daemon. All methods throw `not_found` if the user cannot see the inbox. */
export class Faults {
	readonly #store: Pick<Store, 'faults' | 'inboxes'>;
	readonly #options: FaultsOptions;
	/** Deletes what has expired. */
	readonly expiry: Expiry;

	constructor(store: Pick<Store, 'faults' | 'inboxes'>, options: FaultsOptions) {
		this.#store = store;
		this.#options = options;
		this.expiry = new Expiry(
			{
				things: 'faults',
				next: async () => store.faults.nextExpiry(),
				deleteExpired: async now => this.#deleteExpired(now),
			},
			options,
		);
	}

	/** Throws `invalid_input` with the wrong field, and `too_many_faults`. */
	async create(owner: FaultOwner, fields: NewFault): Promise<CountedFault> {
		const {parser, now} = this.#options;
		const inboxId = await this.inboxId(owner);
		const fault = makeFault(fields, inboxId, now());
		const regexes = regexesIn(fault.match);
		const problem = regexes.length === 0 ? undefined : await parser.patternProblem(owner?.user.id ?? '', regexes);
		if (problem) {
			throw invalidField(problem.field, problem.message);
		}

		await this.expiry.deleteDue();
		await this.#store.faults.create(fault, faultLimits.faults, owner?.user.id);
		if (fault.expiresAt !== null) {
			this.expiry.schedule(fault.expiresAt);
		}

		await this.#publish(inboxId);
		return {fault, seen: 0, acted: 0};
	}

	/** Faults in the order of their evaluation, oldest first. */
	async list(owner: FaultOwner): Promise<readonly CountedFault[]> {
		const all = await this.#store.faults.list(await this.inboxId(owner));
		return all.filter(({fault}) => !isExpired(fault, this.#options.now()));
	}

	/** Throws `not_found`. */
	async get(owner: FaultOwner, id: string): Promise<CountedFault> {
		const inboxId = await this.inboxId(owner);
		const counted = await this.#store.faults.get(id);
		const isHere = counted?.fault.inboxId === inboxId && !isExpired(counted.fault, this.#options.now());
		return found(isHere && counted, `There is no fault "${id}".`);
	}

	/** Deletes a fault; its hits are kept. Throws `not_found`. */
	async delete(owner: FaultOwner, id: string): Promise<void> {
		const {fault} = await this.get(owner, id);
		found(await this.#store.faults.delete(fault.id, owner?.user.id), `There is no fault "${id}".`);
		await this.#publish(fault.inboxId);
	}

	async deleteAll(owner: FaultOwner): Promise<void> {
		const inboxId = await this.inboxId(owner);
		if ((await this.#store.faults.deleteAll(inboxId, owner?.user.id)) > 0) {
			await this.#publish(inboxId);
		}
	}

	/** Hits, newest first: of one fault, or of all faults, deleted ones and fault addresses included. */
	async hits(owner: FaultOwner, page: Page, id?: string): Promise<Rows<FaultHit>> {
		const {faults} = this.#store;
		return id === undefined
			? faults.hits({inboxId: await this.inboxId(owner)}, page)
			: faults.hits({faultId: (await this.get(owner, id)).fault.id}, page);
	}

	/** Latest hits of an inbox since a time (ISO 8601), newest first. The local user also gets the daemon's. */
	async hitsSince(user: User, inboxName: string, since = ''): Promise<readonly FaultHit[]> {
		const newest = {page: 1, limit: maxLimit};
		const own = await this.hits({user, inboxName}, newest);
		const others = isLocalUser(user) ? (await this.hits(null, newest)).rows : [];
		return (
			[...own.rows, ...others]
				.filter(({time}) => time >= since)
				// Ids order hits of the same millisecond.
				.sort((one, other) => other.time.localeCompare(one.time) || other.id.localeCompare(one.id))
				.slice(0, maxLimit)
		);
	}

	/** Id of the inbox; null for the daemon. */
	async inboxId(owner: FaultOwner): Promise<string | null> {
		return owner && (await this.#options.inboxes.visible(owner.user, owner.inboxName)).id;
	}

	async #publish(inboxId: string | null): Promise<void> {
		await this.#options.feed.publish(await this.#changed([inboxId]));
	}

	/** Events for changed faults of these inboxes, without deleted inboxes. */
	async #changed(inboxIds: Iterable<string | null>): Promise<readonly FeedItem[]> {
		const items: FeedItem[] = [];
		for (const id of inboxIds) {
			const inbox = id === null ? null : await this.#store.inboxes.get(id);
			if (inbox !== undefined) {
				items.push({type: 'faults.changed', inbox});
			}
		}

		return items;
	}

	async #deleteExpired(now: string): Promise<readonly FeedItem[]> {
		const deleted = await this.#store.faults.deleteExpired(now);
		return this.#changed(new Set(deleted.map(({inboxId}) => inboxId)));
	}
}
