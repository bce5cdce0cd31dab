import type {Inbox} from '../../domain/inbox.js';
import type {Message} from '../../domain/message.js';
import type {User} from '../../domain/user.js';
import type {Delivery} from '../../domain/webhook.js';
import {Alarm} from '../../lib/alarm.js';
import type {Store} from '../../store/store.js';
import {memberIdsOf} from '../accounts/members.js';
import {type Feed, type FeedItem, topics} from './feed.js';

/** What a follower is told. Counts are those of the inbox by now. */
export type LiveEvent =
	| {readonly type: 'ready'; readonly resumed: boolean}
	| {readonly type: 'message.received'; readonly message: Message; readonly messageCount: number}
	| {
			readonly type: 'message.deleted';
			readonly inboxId: string;
			readonly messageId: string;
			readonly messageCount: number;
	  }
	| {readonly type: 'inbox.created' | 'inbox.changed'; readonly inbox: Inbox; readonly messageCount: number}
	| {readonly type: 'inbox.deleted'; readonly inboxId: string}
	| {readonly type: 'delivery.changed'; readonly delivery: Delivery};

/** An event, and the cursor behind it. */
export type NumberedEvent = {readonly id: string; readonly event: LiveEvent};

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
type FollowerStore = {
	readonly [Noun in 'teams' | 'inboxes' | 'endpoints' | 'deliveries']: Pick<Store[Noun], 'get'>;
} & {readonly messages: Pick<Store['messages'], 'get' | 'count'>};

/** How many changes are looked at for one batch. */
const batchSize = 500;

/**
 * Tells one user what changes, in batches, until the signal aborts or the daemon stops. First comes `ready`; it comes
 * again, with `resumed` false, whenever something is missing in between.
 *
 * What the user may see is read from the store when a batch is made, for the inbox as it was at the change and as it is
 * by now: who is in a team today may not have been then, when an inbox was in it. Changes from before the user's scope
 * changed are never judged by it: they count as missing.
 */
export class Follower {
	readonly #store: FollowerStore;
	readonly #feed: Feed;
	readonly #sleeping = new Set<Alarm>();
	#isStopped = false;

	constructor(store: FollowerStore, feed: Feed) {
		this.#store = store;
		this.#feed = feed;
	}

	async *follow({lastEventId = '', identify, idleMs, signal}: FollowOptions): AsyncGenerator<readonly NumberedEvent[]> {
		const alarm = new Alarm();
		const wake = () => alarm.ring();
		signal.addEventListener('abort', wake);
		this.#sleeping.add(alarm);
		let stopListening = () => {};
		try {
			const resumed = await this.#canResume(lastEventId, identify);
			let cursor = resumed ? lastEventId : this.#feed.end;
			yield [ready(cursor, resumed)];
			while (!signal.aborted && !this.#isStopped) {
				if (this.#feed.end === cursor) {
					stopListening = this.#feed.listen([topics.everything], alarm);
					await alarm.sleep(idleMs);
					stopListening();
				}

				const user = await identify();
				if (user === undefined) {
					return;
				}

				const batch = await this.#next(user, cursor);
				cursor = batch.cursor;
				yield batch.events;
			}
		} finally {
			stopListening();
			this.#sleeping.delete(alarm);
			signal.removeEventListener('abort', wake);
		}
	}

	/** Ends all streams. */
	stop(): void {
		this.#isStopped = true;
		for (const alarm of this.#sleeping) {
			alarm.ring();
		}
	}

	/** Whether nothing is missing behind that event, for the user that there is now. */
	async #canResume(lastEventId: string, identify: FollowOptions['identify']): Promise<boolean> {
		const user = this.#feed.read(lastEventId) && (await identify());
		const reading = this.#feed.read(lastEventId);
		return user !== undefined && reading?.items.some(item => changesScopeOf(user, item)) === false;
	}

	/** What to tell the user of what came after the cursor, and the cursor behind that. */
	async #next(user: User, cursor: string): Promise<Batch> {
		const reading = this.#feed.read(cursor);
		const isAfresh = reading?.items.some(item => changesScopeOf(user, item)) ?? true;
		if (!reading || isAfresh) {
			const end = this.#feed.end;
			return {events: [ready(end, false)], cursor: end};
		}

		const events: NumberedEvent[] = [];
		const items = reading.items.slice(0, batchSize);
		for (const [index, item] of items.entries()) {
			const event = await this.#eventOf(user, item);
			if (event) {
				events.push({id: reading.cursorAfter(index + 1), event});
			}
		}

		const behind = reading.cursorAfter(items.length);
		const since = this.#feed.read(behind)?.items ?? [];
		// The scope may have changed while the batch was made. Then none of it is told.
		return since.some(item => changesScopeOf(user, item)) ? this.#next(user, behind) : {events, cursor: behind};
	}

	/** Undefined when the user may not see it, or when what came is gone already. */
	async #eventOf(user: User, item: FeedItem): Promise<LiveEvent | undefined> {
		const {teams, inboxes, messages, endpoints, deliveries} = this.#store;
		if (item.type === 'scope') {
			return undefined;
		}

		if (item.type === 'delivery.changed') {
			const isOwn = (await endpoints.get(item.endpointId))?.userId === user.id;
			const delivery = isOwn ? await deliveries.get(item.deliveryId) : undefined;
			return delivery && {type: item.type, delivery};
		}

		const inboxId = item.inbox.id;
		const inbox = await inboxes.get(inboxId);
		for (const {ownerId, teamId} of [item.inbox, inbox ?? item.inbox]) {
			if (ownerId !== user.id && !(await memberIdsOf(teams, teamId)).includes(user.id)) {
				return undefined;
			}
		}

		if (item.type === 'inbox.deleted') {
			return {type: item.type, inboxId};
		}

		const messageCount = await messages.count(inboxId);
		if (item.type === 'message.deleted') {
			return {type: item.type, inboxId, messageId: item.messageId, messageCount};
		}

		if (item.type === 'message.received') {
			const message = await messages.get(item.messageId);
			return message && {type: item.type, message, messageCount};
		}

		return inbox && {type: item.type, inbox, messageCount};
	}
}

function ready(id: string, resumed: boolean): NumberedEvent {
	return {id, event: {type: 'ready', resumed}};
}

function changesScopeOf({id}: User, item: FeedItem): boolean {
	return item.type === 'scope' && item.userIds.includes(id);
}
