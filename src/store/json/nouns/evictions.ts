import type {FeedItem} from '../../../domain/feed.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import {endOfKeeping, type Keeping, keepingOf} from '../../../domain/mail/inbox.js';
import type {Message} from '../../../domain/mail/message.js';
import {evictionEvents} from '../../rules/inboxes.js';
import type {Change, Evict} from '../state/change.js';
import {type TimeEntry, TimeIndex} from '../state/indexes.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';

/** Maximum number of messages that one commit evicts, or several concurrent ones together. */
const messagesPerCommit = 500;

/** Maximum number of inboxes per batch. */
const inboxesPerBatch = 50;

/** Sorts before every ISO 8601 time. */
const immediately = '0';

/** Evicts the messages that inboxes do not keep, and schedules the next eviction. */
export class Evictions {
	readonly #state: State;
	readonly #writer: Pick<Writer, 'evict'>;
	readonly #defaultKeeping: Keeping;
	/** Inboxes by the time of their next check, which is not later than the expiry of their oldest message. */
	readonly #schedule = new TimeIndex<TimeEntry>(({at}) => at);
	readonly #entries = new Map<string, TimeEntry>();

	/** `defaultKeeping`: retention of inboxes without their own. */
	constructor(state: State, writer: Pick<Writer, 'evict'>, defaultKeeping: Keeping) {
		this.#state = state;
		this.#writer = writer;
		this.#defaultKeeping = defaultKeeping;
		for (const inbox of state.tables.inboxes.values()) {
			this.#scheduleNext(inbox.id, inbox);
		}
	}

	/** Earliest time at which there may be messages to evict. */
	next(): string | undefined {
		return this.#schedule.first?.at;
	}

	/** Commits new messages, evicts the oldest ones of inboxes that are then over their limits, and resolves to the events. */
	async store(change: Change, messages: readonly Message[], source?: Buffer): Promise<readonly FeedItem[]> {
		const {inboxes} = this.#state.tables;
		const inboxIds = new Set(messages.map(({inboxId}) => inboxId));
		const limited = [...inboxIds].filter(id => this.#keepingOf(inboxes.get(id)).keep !== null);
		const maxCount = messagesPerCommit + messages.length;
		const events = await this.#commit([...change, ...limited.map(id => this.#evictExcess(id, maxCount))], source);
		for (const {inboxId, receivedAt} of messages) {
			const keeping = this.#keepingOf(inboxes.get(inboxId));
			const end = endOfKeeping(receivedAt, keeping);
			if (this.#excessCount(inboxId, keeping) > 0) {
				this.#scheduleAt(inboxId, immediately);
			} else if (end !== undefined && !this.#entries.has(inboxId)) {
				this.#scheduleAt(inboxId, end);
			}
		}

		return events;
	}

	/** Evicts a batch of messages after the retention of an inbox was changed. */
	async enforce(inboxId: string): Promise<readonly FeedItem[]> {
		this.#scheduleAt(inboxId, immediately);
		// Without a check of the present number, since pending commits may change it.
		return this.#commit([this.#evictExcess(inboxId)]);
	}

	/** Evicts a batch of messages and resolves to the events. */
	async evict(now: string): Promise<readonly FeedItem[]> {
		const ids = [...this.#schedule.until(now)].slice(0, inboxesPerBatch);
		const maxCount = Math.ceil(messagesPerCommit / Math.max(1, ids.length));
		const events = await Promise.all(ids.map(async id => this.#evictFrom(id, now, maxCount)));
		return events.flat();
	}

	async #evictFrom(id: string, now: string, maxCount: number): Promise<readonly FeedItem[]> {
		const {tables, messagesOfInbox} = this.#state;
		const keeping = this.#keepingOf(tables.inboxes.get(id));
		const change: Evict[] = this.#excessCount(id, keeping) > 0 ? [this.#evictExcess(id, maxCount)] : [];
		let upTo: string | undefined;
		let count = 0;
		for (const messageId of messagesOfInbox.oldestFirst(id)) {
			const end = endOfKeeping(tables.messages.get(messageId)?.receivedAt ?? now, keeping);
			if (end === undefined || end > now || count++ === maxCount) {
				break;
			}

			upTo = messageId;
		}

		const events = await this.#commit(upTo === undefined ? change : [...change, ['evict', 'messages', id, {upTo}]]);
		this.#scheduleNext(id, tables.inboxes.get(id));
		return events;
	}

	/** Commits a change and resolves to the events of the evicted messages. Writes nothing for an empty change. */
	async #commit(change: Change, source?: Buffer): Promise<readonly FeedItem[]> {
		const evicted = change.length === 0 ? [] : await this.#writer.evict(change, source);
		return evicted.flatMap(({inboxId, messageIds}) => {
			const inbox = this.#state.tables.inboxes.getRetained(inboxId);
			return inbox ? evictionEvents(inbox, messageIds) : [];
		});
	}

	#evictExcess(inboxId: string, most = messagesPerCommit): Evict {
		return ['evict', 'messages', inboxId, {keep: this.#defaultKeeping.keep, most}];
	}

	#keepingOf(inbox: Inbox | undefined): Keeping {
		return keepingOf(inbox ?? {}, this.#defaultKeeping);
	}

	/** Number of messages beyond the limit. */
	#excessCount(id: string, {keep}: Keeping): number {
		return keep === null ? 0 : this.#state.messagesOfInbox.sizeOf(id) - keep;
	}

	#scheduleNext(id: string, inbox: Inbox | undefined): void {
		const keeping = this.#keepingOf(inbox);
		const [oldest = ''] = inbox ? this.#state.messagesOfInbox.oldestFirst(id) : [];
		const receivedAt = this.#state.tables.messages.get(oldest)?.receivedAt;
		const end = receivedAt === undefined ? undefined : endOfKeeping(receivedAt, keeping);
		this.#scheduleAt(id, inbox && this.#excessCount(id, keeping) > 0 ? immediately : end);
	}

	/** Sets the time of the next check of an inbox; undefined for none. */
	#scheduleAt(id: string, at: string | undefined): void {
		const entry = at === undefined ? undefined : {id, at};
		this.#schedule.update(this.#entries.get(id), entry);
		if (entry) {
			this.#entries.set(id, entry);
		} else {
			this.#entries.delete(id);
		}
	}
}
