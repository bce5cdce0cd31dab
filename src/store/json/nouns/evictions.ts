import type {FeedItem} from '../../../domain/feed.js';
import type {Inbox} from '../../../domain/mail/inbox.js';
import {endOfKeeping, type Keeping, keepingOf} from '../../../domain/mail/inbox.js';
import type {Message} from '../../../domain/mail/message.js';
import {evictionEvents} from '../../rules/inboxes.js';
import type {Change, Evict} from '../state/change.js';
import {type TimeEntry, TimeIndex} from '../state/indexes.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';

/** Messages that one commit evicts, or several at the same moment, so that it is short. */
const messagesPerCommit = 500;

/** Inboxes that are looked at together. */
const inboxesAtOnce = 50;

/** Before any time there is. */
const atOnce = '0';

/** Has inboxes keep no more than they are to, and knows when there will be something to evict. */
export class Evictions {
	readonly #state: State;
	readonly #writer: Pick<Writer, 'evict'>;
	readonly #byDefault: Keeping;
	/** When an inbox is to be looked at: no later than its oldest message is to go. */
	readonly #agenda = new TimeIndex<TimeEntry>(({at}) => at);
	readonly #entries = new Map<string, TimeEntry>();

	/** `byDefault`: for inboxes that say nothing themselves, also of what was kept under another default. */
	constructor(state: State, writer: Pick<Writer, 'evict'>, byDefault: Keeping) {
		this.#state = state;
		this.#writer = writer;
		this.#byDefault = byDefault;
		for (const inbox of state.tables.inboxes.values()) {
			this.#lookNext(inbox.id, inbox);
		}
	}

	/** When there may be something to evict next. */
	next(): string | undefined {
		return this.#agenda.first?.at;
	}

	/** Stores new messages, without those that are too many then, and resolves to what tells of these. */
	async store(change: Change, messages: readonly Message[], source?: Buffer): Promise<readonly FeedItem[]> {
		const {inboxes} = this.#state.tables;
		const inboxIds = new Set(messages.map(({inboxId}) => inboxId));
		const limited = [...inboxIds].filter(id => this.#keepingOf(inboxes.get(id)).keep !== null);
		const most = messagesPerCommit + messages.length;
		const news = await this.#commit([...change, ...limited.map(id => this.#beyond(id, most))], source);
		for (const {inboxId, receivedAt} of messages) {
			const keeping = this.#keepingOf(inboxes.get(inboxId));
			const end = endOfKeeping(receivedAt, keeping);
			if (this.#excess(inboxId, keeping) > 0) {
				this.#look(inboxId, atOnce);
			} else if (end !== undefined && !this.#entries.has(inboxId)) {
				this.#look(inboxId, end);
			}
		}

		return news;
	}

	/** To be called when it was changed what the inbox keeps. Some of what is too much now is evicted at once. */
	async enforce(inboxId: string): Promise<readonly FeedItem[]> {
		this.#look(inboxId, atOnce);
		// Mail that came before the change was stored, and is stored behind it, is not too much for itself.
		return this.#commit([this.#beyond(inboxId)]);
	}

	/** Evicts some of what inboxes keep no longer. */
	async evict(now: string): Promise<readonly FeedItem[]> {
		const ids = [...this.#agenda.until(now)].slice(0, inboxesAtOnce);
		const most = Math.ceil(messagesPerCommit / Math.max(1, ids.length));
		const news = await Promise.all(ids.map(async id => this.#evictFrom(id, now, most)));
		return news.flat();
	}

	async #evictFrom(id: string, now: string, most: number): Promise<readonly FeedItem[]> {
		const {tables, messagesOfInbox} = this.#state;
		const keeping = this.#keepingOf(tables.inboxes.get(id));
		const change: Evict[] = this.#excess(id, keeping) > 0 ? [this.#beyond(id, most)] : [];
		let upTo: string | undefined;
		let count = 0;
		for (const messageId of messagesOfInbox.oldestFirst(id)) {
			const end = endOfKeeping(tables.messages.get(messageId)?.receivedAt ?? now, keeping);
			if (end === undefined || end > now || count++ === most) {
				break;
			}

			upTo = messageId;
		}

		const news = await this.#commit(upTo === undefined ? change : [...change, ['evict', 'messages', id, {upTo}]]);
		this.#lookNext(id, tables.inboxes.get(id));
		return news;
	}

	/** Nothing is written for no change. */
	async #commit(change: Change, source?: Buffer): Promise<readonly FeedItem[]> {
		const evicted = change.length === 0 ? [] : await this.#writer.evict(change, source);
		return evicted.flatMap(({inboxId, messageIds}) => {
			const inbox = this.#state.tables.inboxes.getRetained(inboxId);
			return inbox ? evictionEvents(inbox, messageIds) : [];
		});
	}

	#beyond(inboxId: string, most = messagesPerCommit): Evict {
		return ['evict', 'messages', inboxId, {keep: this.#byDefault.keep, most}];
	}

	#keepingOf(inbox: Inbox | undefined): Keeping {
		return keepingOf(inbox ?? {}, this.#byDefault);
	}

	/** How many messages it has beyond those that it keeps. */
	#excess(id: string, {keep}: Keeping): number {
		return keep === null ? 0 : this.#state.messagesOfInbox.sizeOf(id) - keep;
	}

	#lookNext(id: string, inbox: Inbox | undefined): void {
		const keeping = this.#keepingOf(inbox);
		const [oldest = ''] = inbox ? this.#state.messagesOfInbox.oldestFirst(id) : [];
		const receivedAt = this.#state.tables.messages.get(oldest)?.receivedAt;
		const end = receivedAt === undefined ? undefined : endOfKeeping(receivedAt, keeping);
		this.#look(id, inbox && this.#excess(id, keeping) > 0 ? atOnce : end);
	}

	/** No more, when there is no such time. */
	#look(id: string, at: string | undefined): void {
		const entry = at === undefined ? undefined : {id, at};
		this.#agenda.update(this.#entries.get(id), entry);
		if (entry) {
			this.#entries.set(id, entry);
		} else {
			this.#entries.delete(id);
		}
	}
}
