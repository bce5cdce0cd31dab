import {randomUUID} from 'node:crypto';
import type {Inbox} from '../../domain/inbox.js';
import {type Bell, Bells} from './bells.js';

/** Of an inbox as it was at the time of a change: what tells who could see it. */
type InboxThen = Pick<Inbox, 'id' | 'ownerId' | 'teamId'>;

/** Something that changed. It says what to read again, and holds nothing of it: the store is the truth. */
export type FeedItem =
	| {readonly type: 'message.received' | 'message.deleted'; readonly messageId: string; readonly inbox: InboxThen}
	| {readonly type: 'inbox.created' | 'inbox.changed' | 'inbox.deleted' | 'messages.deleted'; readonly inbox: InboxThen}
	| {readonly type: 'delivery.changed'; readonly deliveryId: string; readonly endpointId: string}
	/** Of an inbox; null: of the daemon. */
	| {readonly type: 'faults.changed'; readonly inbox: InboxThen | null}
	| {
			readonly type: 'fault.hit';
			readonly hitId: string;
			readonly faultId: string | null;
			readonly inbox: InboxThen | null;
	  }
	/** What these users may see, as when one joins a team. */
	| {readonly type: 'scope'; readonly userIds: readonly string[]};

/** What came after a place in the feed, oldest first. */
export type FeedReading = {
	readonly items: readonly FeedItem[];
	/** The cursor behind the first `count` of them. */
	cursorAfter(count: number): string;
};

/** What a bell can be rung for besides the id of an inbox (changes in it) and of a user (of what the user may see). */
export const topics = {everything: 'everything', deliveries: 'deliveries'} as const;

/** Hits of the faults of an inbox, or (null) of the daemon: there may be very many, and who waits for mail is not woken. */
export function hitTopic(inboxId: string | null): string {
	return `hits ${inboxId}`;
}

/** How many items are kept for those who come back. */
const defaultCapacity = 10_000;

/**
 * The latest changes, in order. Services publish to it once a write is durable. Readers take up behind a cursor, an opaque
 * text that is also the id of an event on the wire, and hold nothing up: whoever falls too far behind learns that
 * something is missing. To wait, listen first, then look, and look again when rung: nothing falls in between.
 */
export class Feed {
	/** Cursors of another run mean nothing here. */
	readonly #run = randomUUID();
	readonly #bells = new Bells();
	readonly #capacity: number;
	#items: FeedItem[] = [];
	#end = 0;
	/** By user, the place behind the last change of what the user may see, while its item is kept. */
	readonly #scopeChanges = new Map<string, number>();

	constructor(capacity = defaultCapacity) {
		this.#capacity = capacity;
	}

	/** Adds what has become durable, here or on another node, and rings whom it concerns. */
	publish(items: readonly FeedItem[]): void {
		for (const item of items) {
			this.#items.push(item);
			this.#end++;
			for (const userId of item.type === 'scope' ? item.userIds : []) {
				this.#scopeChanges.set(userId, this.#end);
			}
		}

		if (this.#items.length >= 2 * this.#capacity) {
			this.#items = this.#items.slice(-this.#capacity);
			for (const [userId, place] of this.#scopeChanges) {
				if (place <= this.#start) {
					this.#scopeChanges.delete(userId);
				}
			}
		}

		for (const topic of new Set(items.flatMap(topicsOf))) {
			this.#bells.ring(topic);
		}
	}

	/** The cursor behind all that there is. */
	get end(): string {
		return this.#cursorOf(this.#end);
	}

	/** The next items after the cursor; undefined when they are no longer known, or the cursor is none of this run. */
	read(cursor: string, maxItems = Number.POSITIVE_INFINITY): FeedReading | undefined {
		const place = this.#placeOf(cursor);
		if (place === undefined) {
			return undefined;
		}

		const index = place - this.#start;
		return {
			items: this.#items.slice(index, index + maxItems),
			cursorAfter: count => this.#cursorOf(place + count),
		};
	}

	/** Whether all is known that came after the cursor, and nothing of it changed what this user may see. */
	isSameScope(userId: string, cursor: string): boolean {
		const place = this.#placeOf(cursor);
		return place !== undefined && (this.#scopeChanges.get(userId) ?? 0) <= place;
	}

	/** Rings the bell once when something is published for one of the topics; the result takes it off. */
	listen(topicNames: readonly string[], bell: Bell): () => void {
		return this.#bells.add(topicNames, bell);
	}

	/** How many wait for that. */
	waiting(topic: string): number {
		return this.#bells.count(topic);
	}

	/** Before the first item that is kept. */
	get #start(): number {
		return this.#end - this.#items.length;
	}

	#cursorOf(place: number): string {
		return `${this.#run}:${place}`;
	}

	#placeOf(cursor: string): number | undefined {
		const [, run, digits = ''] = /^([^:]*):(\d{1,15})$/.exec(cursor) ?? [];
		const place = Number(digits);
		return run === this.#run && place >= this.#start && place <= this.#end ? place : undefined;
	}
}

function topicsOf(item: FeedItem): readonly string[] {
	switch (item.type) {
		case 'delivery.changed':
			return [topics.everything, topics.deliveries];
		case 'scope':
			return [topics.everything, ...item.userIds];
		case 'fault.hit':
		case 'faults.changed':
			return [topics.everything, hitTopic(item.inbox?.id ?? null)];
		default:
			return [topics.everything, item.inbox.id];
	}
}
