import type {FeedItem} from '../../../domain/feed.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import {expiryOf, type Retention, retentionOf} from '../../../domain/mail/inbox.js';
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
	readonly #writer: Pick<Writer, 'commitWithEvictions'>;
	readonly #defaultRetention: Retention;
	/** Inboxes by the time of their next check, which is not later than the expiry of their oldest message. */
	readonly #schedule = new TimeIndex<TimeEntry>(({at}) => at);
	readonly #entries = new Map<string, TimeEntry>();

	/** `defaultRetention`: retention of inboxes without their own. */
	constructor(state: State, writer: Pick<Writer, 'commitWithEvictions'>, defaultRetention: Retention) {
		this.#state = state;
		this.#writer = writer;
		this.#defaultRetention = defaultRetention;
		for (const inbox of state.tables.inboxes.values()) {
			this.#scheduleNext(inbox.id, inbox);
		}
	}

	/** Earliest time at which there may be messages to evict. */
	next(): string | undefined {
		return this.#schedule.first?.at;
	}

	/** Commits new messages, evicts the oldest ones of inboxes that are then over their limits, and resolves to the events. */
	async commitMail(change: Change, messages: readonly Message[], source?: Buffer): Promise<readonly FeedItem[]> {
		const {inboxes} = this.#state.tables;
		const inboxIds = new Set(messages.map(({inboxId}) => inboxId));
		const limited = [...inboxIds].filter(id => this.#retentionOf(inboxes.get(id)).keep !== null);
		const maxCount = messagesPerCommit + messages.length;
		const events = await this.#commit([...change, ...limited.map(id => this.#evictExcess(id, maxCount))], source);
		for (const {inboxId, receivedAt} of messages) {
			const retention = this.#retentionOf(inboxes.get(inboxId));
			const expiry = expiryOf(receivedAt, retention);
			if (this.#excessCount(inboxId, retention) > 0) {
				this.#scheduleAt(inboxId, immediately);
			} else if (expiry !== undefined && !this.#entries.has(inboxId)) {
				this.#scheduleAt(inboxId, expiry);
			}
		}

		return events;
	}

	/** Evicts a batch of messages after the retention of an inbox was changed. */
	async enforce(inboxId: string): Promise<readonly FeedItem[]> {
		this.#scheduleAt(inboxId, immediately);
		// The current count is not checked, because pending commits may change it.
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
		const retention = this.#retentionOf(tables.inboxes.get(id));
		const change: Evict[] = this.#excessCount(id, retention) > 0 ? [this.#evictExcess(id, maxCount)] : [];
		let upTo: string | undefined;
		let count = 0;
		for (const messageId of messagesOfInbox.oldestFirst(id)) {
			const expiry = expiryOf(tables.messages.get(messageId)?.receivedAt ?? now, retention);
			if (expiry === undefined || expiry > now || count++ === maxCount) {
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
		const evicted = change.length === 0 ? [] : await this.#writer.commitWithEvictions(change, source);
		return evicted.flatMap(({inboxId, messageIds}) => {
			const inbox = this.#state.tables.inboxes.getRetained(inboxId);
			return inbox ? evictionEvents(inbox, messageIds) : [];
		});
	}

	#evictExcess(inboxId: string, most = messagesPerCommit): Evict {
		return ['evict', 'messages', inboxId, {keep: this.#defaultRetention.keep, most}];
	}

	#retentionOf(inbox: Inbox | undefined): Retention {
		return retentionOf(inbox ?? {}, this.#defaultRetention);
	}

	/** Number of messages beyond the limit. */
	#excessCount(id: string, {keep}: Retention): number {
		return keep === null ? 0 : this.#state.messagesOfInbox.sizeOf(id) - keep;
	}

	#scheduleNext(id: string, inbox: Inbox | undefined): void {
		const retention = this.#retentionOf(inbox);
		const [oldest = ''] = inbox ? this.#state.messagesOfInbox.oldestFirst(id) : [];
		const receivedAt = this.#state.tables.messages.get(oldest)?.receivedAt;
		const expiry = receivedAt === undefined ? undefined : expiryOf(receivedAt, retention);
		this.#scheduleAt(id, inbox && this.#excessCount(id, retention) > 0 ? immediately : expiry);
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
