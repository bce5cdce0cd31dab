import {type FeedItem, topics, topicsOf} from '../../../domain/feed.js';
import type {EventListener, EventReading, EventStore} from '../../port.js';
import {
	addEvents,
	type EventBounds,
	EventReader,
	eventBounds,
	forgetForeignEvents,
	ownHorizon,
	readEvents,
	removeOldEvents,
} from '../event-log.js';
import type {Notifications} from '../notifications.js';
import {batched} from '../session/batched.js';
import {background, type Database} from '../session/database.js';
import type {AnySql} from '../session/session.js';

/** Interval of polling for lost notifications, and the number of rows read. */
const polling = {everyMs: 1000, rows: 10_000};

const deleteOldEveryMs = 60_000;

/** Delay before reading again if a running transaction holds rows back; doubles each time. */
const heldMs = {first: 4, longest: 500};

/** Longer than this, the transaction may be of another database. */
const longHeldMs = 50;

/** Maximum number of events that wait for the database to return. */
const maxUnadded = 10_000;

export type PostgresEventsOptions = {
	readonly notifications: Pick<Notifications, 'publish' | 'onNotification'>;
	readonly storeId: string;
	readonly nodeId: string;
};

/**
 * Events as rows that all nodes read. Waiters are called immediately for events of this node, on notification for events of
 * another node, and waiters for everything once the events are readable. A node remembers only the extent of the log.
 */
export class PostgresEvents implements EventStore {
	readonly #database: Database;
	readonly #options: PostgresEventsOptions;
	readonly #reader: EventReader;
	readonly #add: (items: readonly FeedItem[]) => Promise<unknown>;
	readonly #timers: NodeJS.Timeout[] = [];
	/** Events that could not be added yet. */
	#unadded: readonly FeedItem[] = [];
	#listener: EventListener | undefined;
	#bounds: EventBounds | undefined;
	/** True if the log may have grown since `#bounds` was read. */
	#isStale = true;
	#isReading = false;
	#held: NodeJS.Timeout | undefined;
	#heldMs = heldMs.first;
	/** True if transactions of other databases must be distinguished. */
	#isHeldLong = false;
	#serverHorizon = 0;
	/** Waiters were called for all events before this place. */
	#calledUpTo: number | undefined;

	constructor(database: Database, options: PostgresEventsOptions) {
		this.#database = database;
		this.#options = options;
		this.#reader = new EventReader(options.storeId, ask => this.#ask(ask));
		this.#add = batched(async lists => {
			await this.#addAll([...this.#unadded, ...lists.flat()]);
			return lists;
		});
		options.notifications.onNotification(changedTopics => this.#receive(changedTopics));
	}

	async start(): Promise<void> {
		await this.#database.begin(background, forgetForeignEvents);
		this.#timers.push(
			setInterval(() => void this.#poll().catch(() => {}), polling.everyMs).unref(),
			setInterval(
				() => void this.#database.begin(background, removeOldEvents).catch(() => {}),
				deleteOldEveryMs,
			).unref(),
		);
	}

	stop(): void {
		for (const timer of this.#timers) {
			clearInterval(timer);
		}

		clearTimeout(this.#held);
	}

	async append(items: readonly FeedItem[]): Promise<void> {
		if (items.length > 0) {
			this.#callWaiters(items);
			await this.#add(items);
		}
	}

	/** Publishes events that a committed transaction added with `addEvents`. */
	committed(items: readonly FeedItem[]): void {
		if (items.length > 0) {
			this.#callWaiters(items);
			this.#publish(items);
		}
	}

	async end(): Promise<string> {
		const bounds = await this.#ask(eventBounds);
		return this.#reader.endOf(bounds);
	}

	hasNews(cursor: string): boolean {
		return this.#isStale || !this.#bounds || cursor !== this.#reader.endOf(this.#bounds);
	}

	async read(cursor: string, maxItems: number): Promise<EventReading | undefined> {
		this.#isStale = false;
		return this.#reader.read(cursor, maxItems).catch(error => {
			this.#isStale = true;
			throw error;
		});
	}

	async isSameScope(userId: string, cursor: string): Promise<boolean> {
		return this.#reader.isSameScope(userId, cursor);
	}

	listen(listener: EventListener): void {
		this.#listener = listener;
	}

	/** Adds events. On failure they are added with the next ones or by the next poll. */
	async #addAll(items: readonly FeedItem[]): Promise<void> {
		this.#unadded = [];
		try {
			await this.#database.run(sql => addEvents(sql, this.#options.nodeId, items));
		} catch {
			this.#unadded = [...items, ...this.#unadded].slice(-maxUnadded);
			return;
		}

		this.#publish(items);
	}

	/** Waiters that read the store itself need not wait until the events are readable. */
	#callWaiters(items: readonly FeedItem[]): void {
		this.#listener?.wake(withoutEverything(topicsOf(items)));
	}

	#publish(items: readonly FeedItem[]): void {
		this.#options.notifications.publish(topicsForOthers(items));
		this.#readBounds();
	}

	#receive(changedTopics: readonly string[] | undefined): void {
		if (changedTopics) {
			this.#listener?.wake(withoutEverything(changedTopics));
			this.#readBounds();
		} else {
			void this.#poll().catch(() => {});
		}
	}

	/** Reads the extent of the log if anybody waits for everything. */
	#readBounds(): void {
		this.#isStale = true;
		if (!this.#isReading && this.#listener?.waiting(topics.everything)) {
			this.#isReading = true;
			this.#isStale = false;
			this.#ask(eventBounds).then(
				() => {
					this.#isReading = false;
					if (this.#isStale) {
						this.#readBounds();
					}
				},
				() => {
					this.#isReading = false;
					this.#isStale = true;
				},
			);
		}
	}

	/** Polls for events of lost notifications, or of commits whose answer was lost. */
	async #poll(): Promise<void> {
		if (this.#unadded.length > 0) {
			void this.#add([]);
		}

		const from = this.#calledUpTo;
		if (from === undefined || !this.#hasWaiters()) {
			this.#calledUpTo = (await this.#ask(eventBounds)).end;
			return;
		}

		const {rows, ...bounds} = await this.#ask((sql, known) => readEvents(sql, known, {from, maxRows: polling.rows}));
		const isAll = rows.length < polling.rows && from >= bounds.start && from <= bounds.newest;
		this.#listener?.wake(isAll ? withoutEverything(topicsForOthers(rows.flatMap(({items}) => items))) : undefined);
		this.#calledUpTo = Math.max(from, bounds.end);
	}

	/** True if anybody waits for events of other nodes. The dispatcher does not: it polls for deliveries. */
	#hasWaiters(): boolean {
		const {size = 0} = this.#listener ?? {};
		return size > (this.#listener?.waiting(topics.deliveries) ? 1 : 0);
	}

	async #ask<Bounds extends EventBounds>(ask: (sql: AnySql, known: number) => Promise<Bounds>): Promise<Bounds> {
		const bounds = this.#isHeldLong
			? await this.#database.begin(background, async sql => ask(sql, await ownHorizon(sql)))
			: await this.#database.run(async sql => ask(sql, 0));
		this.#storeBounds(bounds);
		return bounds;
	}

	/** Stores the extent of the log, and calls waiters for everything if it grew. */
	#storeBounds(bounds: EventBounds): void {
		const before = this.#bounds;
		if (!before || before.timeline !== bounds.timeline || before.end < bounds.end) {
			this.#bounds = bounds;
			this.#heldMs = heldMs.first;
			this.#listener?.wake([topics.everything]);
		}

		const isHeldAsBefore = this.#isHeldLong && bounds.serverHorizon === this.#serverHorizon;
		this.#serverHorizon = bounds.serverHorizon;
		this.#isHeldLong = bounds.serverHorizon < bounds.newest && (isHeldAsBefore || this.#heldMs > longHeldMs);
		if (bounds.end < bounds.newest && !this.#held) {
			this.#held = setTimeout(() => {
				this.#held = undefined;
				this.#readBounds();
			}, this.#heldMs).unref();
			this.#heldMs = Math.min(this.#heldMs * 2, heldMs.longest);
		}
	}
}

/** Topics without deliveries, which each node polls for. */
function topicsForOthers(items: readonly FeedItem[]): readonly string[] {
	return [...topicsOf(items)].filter(topic => topic !== topics.deliveries);
}

/** Topics without everything: those waiters are called once the events are readable. */
function withoutEverything(all: Iterable<string>): readonly string[] {
	return [...all].filter(topic => topic !== topics.everything);
}
