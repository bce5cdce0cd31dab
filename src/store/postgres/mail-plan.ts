import {AppError} from '../../domain/errors.js';
import type {FeedItem} from '../../domain/feed.js';
import {type Message, weightOf} from '../../domain/mail/message.js';
import type {Receipt} from '../../domain/mail/sending.js';
import type {Delivery} from '../../domain/webhooks/delivery.js';
import type {MessageStore, Usage} from '../port.js';
import {AlreadyAnswered} from '../port.js';
import {inlineBytes} from '../staging.js';
import type {LockedInbox} from './nouns/inboxes.js';

/** A mail that is to be stored, with what follows from it. */
export type NewMessages = Parameters<MessageStore['add']>[0];

/** A row of the table. */
type PlannedMessage = {
	readonly inbox_id: string;
	readonly place: number;
	readonly id: string;
	readonly source_id: string;
	readonly latest_at: string;
	readonly weight: number;
	readonly row: Message;
};

/** What mails add to, locked until they are stored. */
export type Locked = {
	/** What there is of each owner's. */
	readonly users: ReadonlyMap<string, Usage>;
	readonly inboxes: ReadonlyMap<string, LockedInbox>;
	/** Those of large mail. */
	readonly sourceIds: ReadonlySet<string>;
	/** Those with the ids of the mails' own, which may be over; they are not locked. */
	readonly receipts: ReadonlyMap<string, Receipt>;
	/** What there is in all. */
	readonly inAll: Usage;
};

/** What came of one mail: whether a message has it, or why it was not stored. */
export type MailOutcome = {readonly isUsed: boolean} | {readonly error: unknown};

type Growth = {messages: number; bytes: number};
type InboxGrowth = {readonly id: string; messages: number; last_place: number; latest_at: string};

/** Finds out, mail by mail, what a transaction has to write: what came before in it counts for what comes behind. */
export class MailPlan {
	readonly messages: PlannedMessage[] = [];
	readonly sources: object[] = [];
	readonly bounces: object[] = [];
	readonly receipts = new Map<string, Receipt>();
	readonly deliveries: Delivery[] = [];
	readonly news: FeedItem[] = [];
	readonly #locked: Locked;
	readonly #users = new Map<string, Growth>();
	readonly #inboxes = new Map<string, InboxGrowth>();
	#inAll: Growth = {messages: 0, bytes: 0};

	constructor(locked: Locked) {
		this.#locked = locked;
	}

	/** What the inboxes get, by their ids. */
	get inboxes(): readonly InboxGrowth[] {
		return [...this.#inboxes.values()];
	}

	/** What their owners get. */
	get users(): ReadonlyArray<Growth & {readonly id: string}> {
		return [...this.#users].map(([id, {messages, bytes}]) => ({id, messages, bytes}));
	}

	/** Adds a mail, but for its messages to inboxes that are gone; or says why it cannot be stored. */
	add(mail: NewMessages): MailOutcome {
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

	#checkReceipt({receipt}: NewMessages): void {
		const {id = '', createdAt = ''} = receipt ?? {};
		const stored = this.receipts.get(id) ?? this.#locked.receipts.get(id);
		if (stored && stored.expiresAt > createdAt) {
			throw new AlreadyAnswered(stored);
		}
	}

	#check({source, check}: NewMessages, messages: readonly Message[]): void {
		if (!inlineBytes(source) && !this.#locked.sourceIds.has(source.id)) {
			throw new AppError('unavailable', 'Receiving the mail timed out.', {retryAfter: 1});
		}

		const growing = new Map<string, Growth>();
		const inAll = {...this.#inAll};
		for (const message of messages) {
			const ownerId = this.#ownerOf(message);
			const growth = growing.get(ownerId) ?? {...(this.#users.get(ownerId) ?? {messages: 0, bytes: 0})};
			growing.set(ownerId, grow(growth, message));
			grow(inAll, message);
		}

		for (const [ownerId, growth] of growing) {
			const stored = this.#locked.users.get(ownerId);
			if (stored) {
				check?.(ownerId, sum(stored, growth), sum(this.#locked.inAll, inAll));
			}
		}

		for (const [ownerId, growth] of growing) {
			this.#users.set(ownerId, growth);
		}

		this.#inAll = inAll;
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

	/** What follows from messages that are stored, or from none. */
	#addFollowers({deliveries, bounces = [], events = []}: NewMessages, messageIds: ReadonlySet<string>): void {
		const isThere = (messageId: string | null) => messageId === null || messageIds.has(messageId);
		const dropped = new Set<string>();
		for (const delivery of deliveries) {
			if (isThere(delivery.messageId)) {
				this.deliveries.push(delivery);
			} else {
				dropped.add(delivery.id);
			}
		}

		for (const bounce of bounces.filter(({messageId}) => isThere(messageId))) {
			const {id, messageId, ownerId, dueAt} = bounce;
			this.bounces.push({id, message_id: messageId, owner_id: ownerId, due_at: dueAt, row: bounce});
		}

		for (const item of events) {
			const isDropped =
				('messageId' in item && !isThere(item.messageId)) || ('deliveryId' in item && dropped.has(item.deliveryId));
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
