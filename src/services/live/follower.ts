import {setImmediate as turn} from 'node:timers/promises';
import {isLocalUser, type User} from '../../domain/accounts/user.js';
import {isUnavailable} from '../../domain/errors.js';
import type {FaultHit} from '../../domain/faults/fault.js';
import {type FeedItem, topics} from '../../domain/feed.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import {type Message, senderOf} from '../../domain/mail/message.js';
import type {Delivery} from '../../domain/webhooks/delivery.js';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import {Timer} from '../../lib/time/timer.js';
import type {Store} from '../../store/port.js';
import {memberIdsOf} from '../accounts/teams.js';
import type {CountedInbox} from '../inboxes/inboxes.js';
import type {Feed} from './feed.js';

/** Events to tell together, and the cursor behind all that was looked at for them. */
type Batch = {readonly events: readonly NumberedEvent[]; readonly cursor: string};

export type FollowOptions = {
	/** Where to take up. */
	readonly lastEventId?: string | undefined;
	/** Asked before anything is told; nobody ends the stream, as when a key was revoked. */
	readonly identify: () => Promise<User | undefined>;
	/** After so long without news there is a batch of none. */
	readonly idleMs: number;
	readonly signal: AbortSignal;
};

/** What a follower reads of the store. */
type FollowerStore = Pick<Store, 'events'> & {
	readonly [Noun in 'teams' | 'inboxes' | 'endpoints' | 'deliveries']: Pick<Store[Noun], 'get'>;
} & {
	readonly messages: Pick<Store['messages'], 'get' | 'count' | 'evicted'>;
	readonly faults: Pick<Store['faults'], 'hit'>;
};

/** How many changes are looked at for one batch, and how long the texts of its messages are, as JSON. */
const maxInBatch = {changes: 50, characters: 32 * 1024};

/** After how long it looks again when the store is away. */
const awayMs = 500;

/** Batches that are handed on in one turn of the event loop, of which a user has half. */
const maxBatchesPerTurn = 4;

/** Batches that are kept for other followers of the same user, and for how long. */
const maxShared = {batches: 32, ms: 1000};

/**
 * Tells one user what changes, in batches, until the signal aborts or the daemon stops, and goes on when the store was away. First comes `ready`; it comes
 * again, with `resumed` false, whenever something is missing in between.
 *
 * What the user may see is read from the store when a batch is made, for the inbox as it was at the change and as it is
 * by now: who is in a team today may not have been then, when an inbox was in it. Changes from before the user's scope
 * changed are never judged by it: they count as missing.
 */
export class Follower {
	readonly #store: FollowerStore;
	readonly #feed: Feed;
	readonly #sleeping = new Set<Timer>();
	/** By user. */
	readonly #turns = new FairQueue(maxBatchesPerTurn);
	/** By user and cursor, the oldest first. */
	readonly #shared = new Map<string, {readonly batch: Batch; readonly at: number}>();
	#isStopped = false;

	constructor(store: FollowerStore, feed: Feed) {
		this.#store = store;
		this.#feed = feed;
	}

	async *follow({lastEventId = '', identify, idleMs, signal}: FollowOptions): AsyncGenerator<readonly NumberedEvent[]> {
		const timer = new Timer();
		const wake = () => timer.wake();
		signal.addEventListener('abort', wake);
		this.#sleeping.add(timer);
		let stopListening = () => {};
		try {
			const user = await identify();
			if (user === undefined) {
				return;
			}

			const {events} = this.#store;
			const resumed = await events.isSameScope(user.id, lastEventId);
			let cursor = resumed ? lastEventId : await events.end();
			yield [ready(cursor, resumed)];
			while (!signal.aborted && !this.#isStopped) {
				if (!events.hasNews(cursor)) {
					stopListening = this.#feed.listen([topics.everything], timer);
					await timer.sleep(idleMs);
					stopListening();
				}

				try {
					const batch = await this.#turns.run(user.id, async () => {
						await turn();
						return (await identify()) && this.#next(user, cursor);
					});
					if (batch === undefined) {
						return;
					}

					cursor = batch.cursor;
					yield batch.events;
				} catch (error) {
					if (!isUnavailable(error)) {
						throw error;
					}

					await timer.sleep(awayMs);
					yield [];
				}
			}
		} finally {
			stopListening();
			this.#sleeping.delete(timer);
			signal.removeEventListener('abort', wake);
		}
	}

	/** Ends all streams. */
	stop(): void {
		this.#isStopped = true;
		for (const timer of this.#sleeping) {
			timer.wake();
		}
	}

	/** What to tell the user of what came after the cursor: the same to all who ask for it at about the same time. */
	async #next(user: User, cursor: string): Promise<Batch> {
		const key = `${user.id} ${cursor}`;
		const shared = this.#shared.get(key);
		const isFresh = shared && performance.now() - shared.at < maxShared.ms;
		const batch = isFresh ? shared.batch : await this.#batchOf(user, cursor);
		// The scope may also have changed while the batch was made. Then none of it is told.
		if (!(await this.#store.events.isSameScope(user.id, cursor))) {
			const end = await this.#store.events.end();
			return {events: [ready(end, false)], cursor: end};
		}

		if (!isFresh && batch.cursor !== cursor) {
			this.#share(key, batch);
		}

		return batch;
	}

	#share(key: string, batch: Batch): void {
		this.#shared.delete(key);
		this.#shared.set(key, {batch, at: performance.now()});
		for (const oldest of this.#shared.keys()) {
			if (this.#shared.size > maxShared.batches) {
				this.#shared.delete(oldest);
			}
		}
	}

	async #batchOf(user: User, cursor: string): Promise<Batch> {
		const reading = await this.#store.events.read(cursor, maxInBatch.changes);
		const events: NumberedEvent[] = [];
		let behind = reading?.cursorAfter(0) ?? cursor;
		let length = 0;
		for (const [index, item] of reading?.items.entries() ?? []) {
			behind = reading?.cursorAfter(index + 1) ?? behind;
			const event = await this.#eventOf(user, item);
			if (event) {
				events.push({id: behind, event});
				length += lengthOf(event);
			}

			if (length >= maxInBatch.characters) {
				break;
			}
		}

		return {events, cursor: behind};
	}

	/** Undefined when the user may not see it, or when what came is gone already. */
	async #eventOf(user: User, item: FeedItem): Promise<LiveEvent | undefined> {
		const {inboxes, messages, endpoints, deliveries, faults} = this.#store;
		if (item.type === 'scope') {
			return undefined;
		}

		if (item.type === 'delivery.changed') {
			const isOwn = (await endpoints.get(item.endpointId))?.userId === user.id;
			const delivery = isOwn ? await deliveries.get(item.deliveryId) : undefined;
			return delivery && {type: item.type, delivery};
		}

		const then = item.inbox;
		const inbox = then === null ? undefined : await inboxes.get(then.id);
		if (!(then === null ? isLocalUser(user) : await this.#sees(user, [then, inbox ?? then]))) {
			return undefined;
		}

		if (item.type === 'fault.hit') {
			const hit = await faults.hit(item.hitId);
			return hit && {type: item.type, hit};
		}

		if (item.type === 'faults.changed') {
			return {type: item.type, inboxId: then?.id ?? null};
		}

		const inboxId = item.inbox.id;
		if (item.type === 'inbox.deleted') {
			return {type: item.type, inboxId};
		}

		const messageCount = await messages.count(inboxId);
		if (item.type === 'message.deleted') {
			const {type, messageId, isEvicted = false} = item;
			return {type, inboxId, messageId, messageCount, isEvicted};
		}

		if (item.type === 'messages.deleted') {
			return {type: item.type, inboxId, messageCount, isEvicted: item.isEvicted ?? false};
		}

		if (item.type === 'message.received') {
			const message = await messages.get(item.messageId);
			return message && {type: item.type, message, messageCount};
		}

		return inbox && {type: item.type, inbox, messageCount, evicted: await messages.evicted(inboxId)};
	}

	/** Whether the user could see the inbox as it was, each time. */
	async #sees(user: User, each: ReadonlyArray<Pick<Inbox, 'ownerId' | 'teamId'>>): Promise<boolean> {
		for (const {ownerId, teamId} of each) {
			if (ownerId !== user.id && !(await memberIdsOf(this.#store.teams, teamId)).includes(user.id)) {
				return false;
			}
		}

		return true;
	}
}

function ready(id: string, resumed: boolean): NumberedEvent {
	return {id, event: {type: 'ready', resumed}};
}

/** What a follower is told. Counts are those of the inbox by now. */
export type LiveEvent =
	| {readonly type: 'ready'; readonly resumed: boolean}
	| {readonly type: 'message.received'; readonly message: Message; readonly messageCount: number}
	| {
			readonly type: 'message.deleted';
			readonly inboxId: string;
			readonly messageId: string;
			readonly messageCount: number;
			readonly isEvicted: boolean;
	  }
	| {
			readonly type: 'messages.deleted';
			readonly inboxId: string;
			readonly messageCount: number;
			readonly isEvicted: boolean;
	  }
	| ({readonly type: 'inbox.created' | 'inbox.changed'} & CountedInbox)
	| {readonly type: 'inbox.deleted'; readonly inboxId: string}
	| {readonly type: 'delivery.changed'; readonly delivery: Delivery}
	| {readonly type: 'fault.hit'; readonly hit: FaultHit}
	| {readonly type: 'faults.changed'; readonly inboxId: string | null};

/** An event, and the cursor behind it. */
export type NumberedEvent = {readonly id: string; readonly event: LiveEvent};

/** How long the texts of an event are as JSON, in which control characters take six times as much. */
function lengthOf(event: LiveEvent): number {
	if (event.type === 'fault.hit') {
		return JSON.stringify(event.hit).length;
	}

	if (event.type !== 'message.received') {
		return 0;
	}

	const {to, summary} = event.message;
	return JSON.stringify([senderOf(event.message), summary.fromName, to, summary.subject]).length;
}
