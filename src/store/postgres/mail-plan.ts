import {AppError} from '../../domain/errors.js';
import type {FeedItem} from '../../domain/feed.js';
import {type Message, weightOf} from '../../domain/mail/message.js';
import type {Receipt} from '../../domain/mail/sending.js';
import type {Delivery} from '../../domain/webhooks/delivery.js';
import type {MailCommit, Usage} from '../port.js';
import {assertNotAnswered} from '../rules/sending.js';
import {inlineBytes} from '../staging.js';
import type {LockedInbox} from './nouns/inboxes.js';

/** Row of the table `messages`. */
type PlannedMessage = {
	readonly inbox_id: string;
	readonly place: number;
	readonly id: string;
	readonly source_id: string;
	readonly latest_at: string;
	readonly weight: number;
	readonly row: Message;
};

/** Locked rows that the mails change, as they are before. */
export type LockedRows = {
	/** Usage by user id. */
	readonly users: ReadonlyMap<string, Usage>;
	readonly inboxes: ReadonlyMap<string, LockedInbox>;
	/** Staged sources of large mails. */
	readonly sourceIds: ReadonlySet<string>;
	/** Stored receipts with the ids of the mails' receipts, which may have expired. They are not locked. */
	readonly receipts: ReadonlyMap<string, Receipt>;
	/** Usage of all users. */
	readonly total: Usage;
};

/** Outcome of one mail: whether any message uses its source, or the error. */
export type MailOutcome = {readonly isUsed: boolean} | {readonly error: unknown};

type Growth = {messages: number; bytes: number};
type InboxGrowth = {readonly id: string; messages: number; last_place: number; latest_at: string};

/** Collects the rows that a transaction writes, mail by mail. Each mail is checked against the rows of those before it. */
export class MailPlan {
	readonly messages: PlannedMessage[] = [];
	readonly sources: object[] = [];
	readonly bounces: object[] = [];
	readonly receipts = new Map<string, Receipt>();
	readonly deliveries: Delivery[] = [];
	readonly news: FeedItem[] = [];
	readonly #locked: LockedRows;
	readonly #users = new Map<string, Growth>();
	readonly #inboxes = new Map<string, InboxGrowth>();
	#total: Growth = {messages: 0, bytes: 0};

	constructor(locked: LockedRows) {
		this.#locked = locked;
	}

	/** Changes of the inboxes. */
	get inboxes(): readonly InboxGrowth[] {
		return [...this.#inboxes.values()];
	}

	/** Changes of the counters of their owners. */
	get users(): ReadonlyArray<Growth & {readonly id: string}> {
		return [...this.#users].map(([id, {messages, bytes}]) => ({id, messages, bytes}));
	}

	/** Adds a mail without its messages to deleted inboxes, or returns why it cannot be stored. */
	add(mail: MailCommit): MailOutcome {
		const messages = mail.messages.filter(({inboxId}) => this.#locked.inboxes.has(inboxId));
		try {
			this.#checkReceipt(mail);
			this.#check(mail, messages);
		} catch (error) {
			return {error};
		}

		if (mail.receipt) {
			this.receipts.set(mail.receipt.id, mail.receipt);
		}

		if (messages.length === 0) {
			return {isUsed: false};
		}

		const {id, size} = mail.source;
		this.sources.push({id, size, uses: messages.length, bytes: inlineBytes(mail.source)?.toString('base64') ?? null});
		for (const message of messages) {
			this.#addMessage(message);
		}

		this.#addFollowers(mail, new Set(messages.map(({id}) => id)));
		return {isUsed: true};
	}

	#checkReceipt({receipt}: MailCommit): void {
		if (receipt) {
			assertNotAnswered(this.receipts.get(receipt.id) ?? this.#locked.receipts.get(receipt.id), receipt);
		}
	}

	#check({source, check}: MailCommit, messages: readonly Message[]): void {
		if (!inlineBytes(source) && !this.#locked.sourceIds.has(source.id)) {
			throw new AppError('unavailable', 'Receiving the mail timed out.', {retryAfter: 1});
		}

		const growing = new Map<string, Growth>();
		const total = {...this.#total};
		for (const message of messages) {
			const ownerId = this.#ownerOf(message);
			const growth = growing.get(ownerId) ?? {...(this.#users.get(ownerId) ?? {messages: 0, bytes: 0})};
			growing.set(ownerId, grow(growth, message));
			grow(total, message);
		}

		for (const [ownerId, growth] of growing) {
			const stored = this.#locked.users.get(ownerId);
			if (stored) {
				check?.(ownerId, sum(stored, growth), sum(this.#locked.total, total));
			}
		}

		for (const [ownerId, growth] of growing) {
			this.#users.set(ownerId, growth);
		}

		this.#total = total;
	}

	#addMessage(message: Message): void {
		const {inboxId, receivedAt} = message;
		const {lastPlace = 0, latestAt} = this.#locked.inboxes.get(inboxId) ?? {};
		const inbox = this.#inboxes.get(inboxId) ?? {
			id: inboxId,
			messages: 0,
			last_place: lastPlace,
			latest_at: latestAt ?? '',
		};
		inbox.messages += 1;
		inbox.last_place += 1;
		inbox.latest_at = receivedAt > inbox.latest_at ? receivedAt : inbox.latest_at;
		this.#inboxes.set(inboxId, inbox);
		this.messages.push({
			inbox_id: inboxId,
			place: inbox.last_place,
			id: message.id,
			source_id: message.sourceId,
			latest_at: inbox.latest_at,
			weight: weightOf(message),
			row: message,
		});
	}

	/** Adds deliveries, bounces and events. Skips them if their message was dropped. */
	#addFollowers({deliveries, bounces = [], events = []}: MailCommit, messageIds: ReadonlySet<string>): void {
		const isStored = (messageId: string | null) => messageId === null || messageIds.has(messageId);
		const dropped = new Set<string>();
		for (const delivery of deliveries) {
			if (isStored(delivery.messageId)) {
				this.deliveries.push(delivery);
			} else {
				dropped.add(delivery.id);
			}
		}

		for (const bounce of bounces.filter(({messageId}) => isStored(messageId))) {
			const {id, messageId, ownerId, dueAt} = bounce;
			this.bounces.push({id, message_id: messageId, owner_id: ownerId, due_at: dueAt, row: bounce});
		}

		for (const item of events) {
			const isDropped =
				('messageId' in item && !isStored(item.messageId)) || ('deliveryId' in item && dropped.has(item.deliveryId));
			if (!isDropped) {
				this.news.push(item);
			}
		}
	}

	#ownerOf({inboxId}: Message): string {
		return this.#locked.inboxes.get(inboxId)?.ownerId ?? '';
	}
}

function grow(growth: Growth, message: Message): Growth {
	growth.messages += weightOf(message);
	growth.bytes += message.size;
	return growth;
}

function sum(usage: Usage, {messages, bytes}: Growth): Usage {
	return {...usage, messages: usage.messages + messages, bytes: usage.bytes + bytes};
}
