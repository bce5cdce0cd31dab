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

/** Events that are sent together, and the cursor behind them. */
type Batch = {readonly events: readonly NumberedEvent[]; readonly cursor: string};

export type FollowOptions = {
	/** Cursor to resume at. */
	readonly lastEventId?: string | undefined;
	/** Identifies the user before each batch. Undefined, as after a revoked key, ends the stream. */
	readonly identify: () => Promise<User | undefined>;
	/** Time without events after which an empty batch is sent, in milliseconds. */
	readonly idleMs: number;
	readonly signal: AbortSignal;
};

type FollowerStore = Pick<Store, 'events'> & {
	readonly [Noun in 'teams' | 'inboxes' | 'endpoints' | 'deliveries']: Pick<Store[Noun], 'get'>;
} & {
	readonly messages: Pick<Store['messages'], 'get' | 'count' | 'evicted'>;
	readonly faults: Pick<Store['faults'], 'hit'>;
};

/** Maximum number of events read for one batch, and length of the texts of its messages as JSON. */
const maxInBatch = {changes: 50, characters: 32 * 1024};

/** Pause while the store is unavailable, in milliseconds. */
const awayMs = 500;

/** Maximum number of batches that are made at a time; a user has at most half of them. */
const maxBatchesPerTurn = 4;

/** Batches that are kept for other followers of the same user, and their lifetime. */
const maxShared = {batches: 32, ms: 1000};

/**
 * Streams events to one user, in batches, until the signal aborts or the daemon stops; an unavailable store only pauses it. The
 * first event is `ready`. It is repeated, with `resumed` false, whenever events are missing in between.
 *
 * A batch has the events that the user may see both in the inbox at the time of the event and in the current one: a member of a
 * team may have joined later. Events from before a change of the user's scope are not checked against it: they count as missing.
 */
export class Follower {
	readonly #store: FollowerStore;
	readonly #feed: Feed;
	readonly #sleeping = new Set<Timer>();
	/** Queue that users take turns in. */
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

	/** Next batch after the cursor. Followers of one user share it if they read at about the same time. */
	async #next(user: User, cursor: string): Promise<Batch> {
		const key = `${user.id} ${cursor}`;
		const shared = this.#shared.get(key);
		const isFresh = shared && performance.now() - shared.at < maxShared.ms;
		const batch = isFresh ? shared.batch : await this.#batchOf(user, cursor);
		// If the scope changed while the batch was made, the batch is dropped.
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

	/** Returns undefined if the user may not see the event, or if its subject was deleted. */
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

		const snapshot = item.inbox;
		const inbox = snapshot === null ? undefined : await inboxes.get(snapshot.id);
		if (!(snapshot === null ? isLocalUser(user) : await this.#sees(user, [snapshot, inbox ?? snapshot]))) {
			return undefined;
		}

		if (item.type === 'fault.hit') {
			const hit = await faults.hit(item.hitId);
			return hit && {type: item.type, hit};
		}

		if (item.type === 'faults.changed') {
			return {type: item.type, inboxId: snapshot?.id ?? null};
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

	/** True if the user could see the inbox in each of these states. */
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

/** Event for a follower. Counts are current. */
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

/** Event with the cursor behind it. */
export type NumberedEvent = {readonly id: string; readonly event: LiveEvent};

/** Length of the texts of an event as JSON, which escapes control characters with six characters. */
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
