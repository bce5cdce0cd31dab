import type {FeedItem} from '../domain/feed.js';

/** What came after a place in the order of events, oldest first. */
export type EventReading = {
	readonly items: readonly FeedItem[];
	/** The cursor behind the first `count` of them, and with `count` all of them, behind all that was looked at. */
	cursorAfter(count: number): string;
};

/** Who waits for events. */
export interface EventListener {
	/** Something came that concerns who waits for these topics (`topicsOf`), or (undefined) may concern anybody. */
	ring(topics: Iterable<string> | undefined): void;
	/** How many wait for that. */
	waiting(topic: string): number;
	/** For how many topics somebody waits. */
	readonly size: number;
}

/**
 * The latest changes, in one order for all who share the store. A cursor is an opaque text, a place in that order; whoever reads on
 * behind what was read skips nothing. They are kept for a while, and need not survive a crash of the machine.
 */
export interface EventStore {
	/** Adds what has become durable, after all that this process added before. It never fails: what cannot be added now is later. */
	append(items: readonly FeedItem[]): Promise<void>;
	/** The cursor behind all that can be read. */
	end(): Promise<string>;
	/** Whether `read` may find something behind the cursor. The listener is rung for what comes once this is false. */
	hasNews(cursor: string): boolean;
	/** The next items behind the cursor; undefined when they are no longer known, or the cursor is none of this store. */
	read(cursor: string, maxItems: number): Promise<EventReading | undefined>;
	/** Whether all is known that came after the cursor, and nothing of it changed what this user may see. */
	isSameScope(userId: string, cursor: string): Promise<boolean>;
	/** From now on the listener, one for all, is rung for all that comes, whoever added it. */
	listen(listener: EventListener): void;
}
