import {faultLimits, maxLimit, type Page} from '../../contract/constants.js';
import {isLocalUser, type User} from '../../domain/accounts/user.js';
import {found, invalidField} from '../../domain/errors.js';
import type {CountedFault, FaultHit} from '../../domain/faults/fault.js';
import {regexesIn} from '../../domain/faults/match.js';
import {makeFault, type NewFault} from '../../domain/faults/new-fault.js';
import type {FeedItem} from '../../domain/feed.js';
import {isExpired} from '../../domain/mail/inbox.js';
import type {Parser} from '../../mime/parser.js';
import type {Rows, Store} from '../../store/port.js';
import {Expiry, type ExpiryOptions} from '../expiry.js';
import type {Inboxes} from '../inboxes/inboxes.js';

export type FaultsOptions = ExpiryOptions & {
	readonly inboxes: Pick<Inboxes, 'visible'>;
	readonly parser: Pick<Parser, 'patternProblem'>;
};

/** Whose faults are meant: those of an inbox that this user may see, or (null) the daemon's, whose callers may do everything. */
export type FaultPlace = {readonly user: User; readonly inboxName: string} | null;

/** The rules that make something go wrong on purpose. All throw `not_found` unless the user may see the inbox. */
export class Faults {
	readonly #store: Pick<Store, 'faults' | 'inboxes'>;
	readonly #options: FaultsOptions;
	readonly #expiry: Expiry;

	constructor(store: Pick<Store, 'faults' | 'inboxes'>, options: FaultsOptions) {
		this.#store = store;
		this.#options = options;
		this.#expiry = new Expiry(
			{things: 'faults', next: async () => store.faults.nextExpiry(), deleteOver: async now => this.#deleteOver(now)},
			options,
		);
	}

	async start(): Promise<void> {
		await this.#expiry.sweep();
	}

	async stop(): Promise<void> {
		this.#expiry.stop();
	}

	/** Throws `invalid_input` naming the field that is wrong, and `too_many_faults`. */
	async create(place: FaultPlace, given: NewFault): Promise<CountedFault> {
		const {parser, now} = this.#options;
		const inboxId = await this.inboxId(place);
		const fault = makeFault(given, inboxId, now());
		const regexes = regexesIn(fault.match);
		const problem = regexes.length === 0 ? undefined : await parser.patternProblem(place?.user.id ?? '', regexes);
		if (problem) {
			throw invalidField(problem.field, problem.message);
		}

		await this.#expiry.settle();
		await this.#store.faults.create(fault, faultLimits.faults);
		if (fault.expiresAt !== null) {
			this.#expiry.expect(fault.expiresAt);
		}

		await this.#publish(inboxId);
		return {fault, seen: 0, acted: 0};
	}

	/** In the order in which they are asked, the oldest first. */
	async list(place: FaultPlace): Promise<readonly CountedFault[]> {
		const all = await this.#store.faults.list(await this.inboxId(place));
		return all.filter(({fault}) => !isExpired(fault, this.#options.now()));
	}

	/** Throws `not_found`, as does `delete`. */
	async get(place: FaultPlace, id: string): Promise<CountedFault> {
		const inboxId = await this.inboxId(place);
		const counted = await this.#store.faults.get(id);
		const isHere = counted?.fault.inboxId === inboxId && !isExpired(counted.fault, this.#options.now());
		return found(isHere && counted, `There is no fault "${id}".`);
	}

	/** What it did so far stays. */
	async delete(place: FaultPlace, id: string): Promise<void> {
		const {fault} = await this.get(place, id);
		found(await this.#store.faults.delete(fault.id), `There is no fault "${id}".`);
		await this.#publish(fault.inboxId);
	}

	async deleteAll(place: FaultPlace): Promise<void> {
		const inboxId = await this.inboxId(place);
		if ((await this.#store.faults.deleteAll(inboxId)) > 0) {
			await this.#publish(inboxId);
		}
	}

	/** Newest first: of one fault, or of all there are and were, with those of addresses that ask for something to go wrong. */
	async hits(place: FaultPlace, page: Page, id?: string): Promise<Rows<FaultHit>> {
		const {faults} = this.#store;
		return id === undefined
			? faults.hits({inboxId: await this.inboxId(place)}, page)
			: faults.hits({faultId: (await this.get(place, id)).fault.id}, page);
	}

	/** The newest of an inbox since then (ISO 8601), newest first; to the local user those of the daemon as well. */
	async hitsSince(user: User, inboxName: string, since = ''): Promise<readonly FaultHit[]> {
		const newest = {page: 1, limit: maxLimit};
		const own = await this.hits({user, inboxName}, newest);
		const others = isLocalUser(user) ? (await this.hits(null, newest)).rows : [];
		return (
			[...own.rows, ...others]
				.filter(({time}) => time >= since)
				// Ids tell in which order those of one moment came.
				.sort((one, other) => other.time.localeCompare(one.time) || other.id.localeCompare(one.id))
				.slice(0, maxLimit)
		);
	}

	/** The inbox that is meant; null for the daemon. */
	async inboxId(place: FaultPlace): Promise<string | null> {
		return place && (await this.#options.inboxes.visible(place.user, place.inboxName)).id;
	}

	async #publish(inboxId: string | null): Promise<void> {
		await this.#options.feed.publish(await this.#changed([inboxId]));
	}

	/** What tells of a change in the faults of these inboxes that are there. */
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

	async #deleteOver(now: string): Promise<readonly FeedItem[]> {
		const gone = await this.#store.faults.deleteExpired(now);
		return this.#changed(new Set(gone.map(({inboxId}) => inboxId)));
	}
}
