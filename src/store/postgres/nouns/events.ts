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
import type {Database} from '../session/database.js';
import type {AnySql} from '../session/session.js';

/** How often a node looks by itself for what a notice was lost of, and at how many rows. */
const ownLooks = {everyMs: 1000, rows: 10_000};

const removalEveryMs = 60_000;

/** Until rows are looked for again that a transaction under way holds back; twice as long each time that they still are. */
const heldMs = {first: 4, longest: 500};

/** Held for longer than this, by another database perhaps. */
const longHeldMs = 50;

/** Items that wait for the database to come back. */
const maxLeft = 10_000;

export type PostgresEventsOptions = {
	readonly notices: Pick<Notifications, 'tell' | 'hear'>;
	readonly storeId: string;
	readonly nodeId: string;
};

/**
 * Events as rows that all nodes read. A node rings at once for its own, for those of others when it is told of them, and for who
 * waits for everything once they can be read. It keeps nothing of them but how far it knows them to go.
 */
export class PostgresEvents implements EventStore {
	readonly #database: Database;
	readonly #options: PostgresEventsOptions;
	readonly #reader: EventReader;
	readonly #add: (items: readonly FeedItem[]) => Promise<unknown>;
	readonly #timers: NodeJS.Timeout[] = [];
	/** What could not be added yet. */
	#left: readonly FeedItem[] = [];
	#listener: EventListener | undefined;
	#bounds: EventBounds | undefined;
	/** Whether they may go further by now. */
	#isStale = true;
	#isLooking = false;
	#held: NodeJS.Timeout | undefined;
	#heldMs = heldMs.first;
	/** Whether transactions of other databases are to be told from those of this one. */
	#isHeldLong = false;
	#serverHorizon = 0;
	/** The place behind all that this node knows to have rung for. */
	#rungFor: number | undefined;

	constructor(database: Database, options: PostgresEventsOptions) {
		this.#database = database;
		this.#options = options;
		this.#reader = new EventReader(options.storeId, ask => this.#ask(ask));
		this.#add = batched(async lists => {
			await this.#addAll([...this.#left, ...lists.flat()]);
			return lists;
		});
		options.notices.hear(told => this.#hear(told));
	}

	async start(): Promise<void> {
		await this.#database.begin(forgetForeignEvents);
		this.#timers.push(
			setInterval(() => void this.#lookByItself().catch(() => {}), ownLooks.everyMs).unref(),
			setInterval(() => void this.#database.begin(removeOldEvents).catch(() => {}), removalEveryMs).unref(),
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
			this.#ringForOwn(items);
			await this.#add(items);
		}
	}

	/** Tells of items that were added in a transaction (`addEvents`), once that is over. */
	committed(items: readonly FeedItem[]): void {
		if (items.length > 0) {
			this.#ringForOwn(items);
			this.#tell(items);
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

	/** What cannot be added now is tried again with the next, or at the next look. */
	async #addAll(items: readonly FeedItem[]): Promise<void> {
		this.#left = [];
		try {
			await this.#database.run(sql => addEvents(sql, this.#options.nodeId, items));
		} catch {
			this.#left = [...items, ...this.#left].slice(-maxLeft);
			return;
		}

		this.#tell(items);
	}

	/** Who reads the store itself need not wait until the events can be read. */
	#ringForOwn(items: readonly FeedItem[]): void {
		this.#listener?.wake(notEverything(topicsOf(items)));
	}

	#tell(items: readonly FeedItem[]): void {
		this.#options.notices.tell(topicsForOthers(items));
		this.#look();
	}

	#hear(told: readonly string[] | undefined): void {
		if (told) {
			this.#listener?.wake(notEverything(told));
			this.#look();
		} else {
			void this.#lookByItself().catch(() => {});
		}
	}

	/** There may be something new: finds out how far can be read by now, if anybody waits for that. */
	#look(): void {
		this.#isStale = true;
		if (!this.#isLooking && this.#listener?.waiting(topics.everything)) {
			this.#isLooking = true;
			this.#isStale = false;
			this.#ask(eventBounds).then(
				() => {
					this.#isLooking = false;
					if (this.#isStale) {
						this.#look();
					}
				},
				() => {
					this.#isLooking = false;
					this.#isStale = true;
				},
			);
		}
	}

	/** Rings for all since the last time, in case that a notice was lost, or the answer to a commit. */
	async #lookByItself(): Promise<void> {
		if (this.#left.length > 0) {
			void this.#add([]);
		}

		const from = this.#rungFor;
		if (from === undefined || !this.#isAwaited()) {
			this.#rungFor = (await this.#ask(eventBounds)).end;
			return;
		}

		const {rows, ...bounds} = await this.#ask((sql, known) => readEvents(sql, known, {from, maxRows: ownLooks.rows}));
		const isAll = rows.length < ownLooks.rows && from >= bounds.start && from <= bounds.newest;
		this.#listener?.wake(isAll ? notEverything(topicsForOthers(rows.flatMap(({items}) => items))) : undefined);
		this.#rungFor = Math.max(from, bounds.end);
	}

	/** Whether anybody waits for what others tell of: deliveries are looked for by whoever sends them. */
	#isAwaited(): boolean {
		const {size = 0} = this.#listener ?? {};
		return size > (this.#listener?.waiting(topics.deliveries) ? 1 : 0);
	}

	async #ask<Bounds extends EventBounds>(ask: (sql: AnySql, known: number) => Promise<Bounds>): Promise<Bounds> {
		const bounds = this.#isHeldLong
			? await this.#database.begin(async sql => ask(sql, await ownHorizon(sql)))
			: await this.#database.run(async sql => ask(sql, 0));
		this.#note(bounds);
		return bounds;
	}

	/** Takes note of how far the log goes, and rings who waits for everything when that is further than before. */
	#note(bounds: EventBounds): void {
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
				this.#look();
			}, this.#heldMs).unref();
			this.#heldMs = Math.min(this.#heldMs * 2, heldMs.longest);
		}
	}
}

/** Without deliveries: each node finds out by itself what can be sent. */
function topicsForOthers(items: readonly FeedItem[]): readonly string[] {
	return [...topicsOf(items)].filter(topic => topic !== topics.deliveries);
}

/** Who waits for everything is rung once that can be read. */
function notEverything(concerned: Iterable<string>): readonly string[] {
	return [...concerned].filter(topic => topic !== topics.everything);
}
