import type {Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {latest, type Page} from '../../contract/page.js';
import type {PendingBounce} from '../../domain/bounce.js';
import {AppError, found} from '../../domain/errors.js';
import type {FaultEffect} from '../../domain/fault.js';
import type {FeedItem} from '../../domain/feed-item.js';
import type {MessageQuery} from '../../domain/filter.js';
import {type Envelope, type Message, type Session, weightOf} from '../../domain/message.js';
import type {User} from '../../domain/user.js';
import type {Parser} from '../../mime/parser.js';
import type {ByteRange, StagedSource, Store} from '../../store/store.js';
import type {AutomaticBounces} from '../bounces/automatic.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Quotas} from '../limits/quotas.js';
import type {Feed} from '../live/feed.js';
import type {Announcement, Announcements} from '../webhooks/announcements.js';
import {Contents, type ReadMessage} from './contents.js';
import type {MailFaults} from './mail-faults.js';
import {MessageIds} from './message-ids.js';
import {namedMessage} from './named-message.js';
import {assertTogether, type Reached, type Recipients} from './recipients.js';
import {type Miss, needsSearch, Search} from './search.js';
import type {SearchProgress} from './search-progress.js';

export type MessagesOptions = {
	readonly inboxes: Inboxes;
	readonly recipients: Recipients;
	readonly parser: Parser;
	readonly feed: Feed;
	readonly quotas: Pick<Quotas, 'mail'>;
	readonly announcements: Announcements;
	readonly bounces: AutomaticBounces;
	readonly faults: Pick<MailFaults, 'meet'>;
	readonly now: () => Date;
};

type MessageStores = Pick<Store, 'messages' | 'sources' | 'inboxes'>;

/**
 * Takes mail in, and shows it to those who may see its inbox; to others everything is `not_found`. An inbox is named by its
 * id or its address, a message as `namedMessage` says.
 */
export class Messages {
	readonly #store: MessageStores;
	readonly #options: MessagesOptions;
	readonly #contents: Contents;
	readonly #ids = new MessageIds();
	readonly #search: Search;

	constructor(store: MessageStores, options: MessagesOptions) {
		this.#store = store;
		this.#options = options;
		this.#contents = new Contents(store.sources, options.parser);
		this.#search = new Search(store.messages, this.#contents, options.parser);
	}

	/** See `Recipients`. */
	async accepts(address: string, mail: object, inboxId?: string): Promise<boolean | 'later'> {
		return this.#options.recipients.accept(address, mail, inboxId);
	}

	/**
	 * Stores one mail: a message in each inbox that its recipients lead to, or in that alone as which the sender logged in,
	 * with its summary and the deliveries that announce it. It is durable once this resolved, to what a fault does to the answer.
	 * Throws `not_found` when no recipient leads anywhere (any more), and what the source and `faults` fail with.
	 */
	async deliver(
		envelope: Envelope,
		session: Session | null,
		source: Readable,
		inboxId?: string,
	): Promise<FaultEffect | null> {
		const reached = await this.#options.recipients.reached(envelope.to, inboxId);
		const [first] = reached;
		if (!first) {
			throw new AppError('not_found', 'None of the recipients has an inbox here. Create one with the address first.');
		}

		const {feed, announcements} = this.#options;
		const staged = await this.#store.sources.stage(source);
		const prepared = await this.#prepare(first.inbox.ownerId, {envelope, session}, staged, reached);
		const {messages, bounces, weight, announced, news, effect} = prepared;
		if (messages.some(({inboxId}) => feed.waiting(inboxId) > 0)) {
			this.#contents.prepare(first.inbox.ownerId, staged);
		}

		await this.#options.recipients
			.withinQuotas(reached, weight, staged.size, check =>
				announcements.store(announced, deliveries =>
					this.#store.messages.add({source: staged, messages, deliveries, bounces, news, check}),
				),
			)
			.catch(async error => {
				await this.#store.sources.discard(staged);
				throw error;
			});
		this.#options.bounces.stored(bounces);
		return effect;
	}

	/**
	 * What the inbox holds by now, newest first; of what asks for content, as far back as a search goes. Looks that share
	 * their progress look at nothing twice in vain.
	 */
	async list(
		user: User,
		inboxName: string,
		filter: MessageQuery,
		page: Page,
		progress: SearchProgress = {},
	): Promise<readonly Message[]> {
		const {id: inboxId} = await this.#options.inboxes.visible(user, inboxName);
		return needsSearch(filter)
			? this.#search.find(user.id, inboxId, filter, page, progress)
			: this.#store.messages.list(inboxId, filter, page);
	}

	/** Throws `invalid_input` naming the text of a filter that cannot be used. */
	async check(user: User, filter: MessageQuery): Promise<void> {
		await this.#search.check(user.id, filter);
	}

	/** The same of one pattern. */
	async checkPattern(user: User, text: string, field: string): Promise<void> {
		await this.#search.checkPattern(user.id, text, field);
	}

	/** Of the newest messages those that do not match, the nearest misses first. Ends with the signal. */
	async misses(
		user: User,
		inboxName: string,
		filter: MessageQuery,
		limit: number,
		signal: AbortSignal,
	): Promise<readonly Miss[]> {
		const {id: inboxId} = await this.#options.inboxes.visible(user, inboxName);
		return this.#search.misses(user.id, inboxId, filter, limit, signal);
	}

	/** Throws as `namedMessage`, as do all that follow. */
	async get(user: User, inboxName: string, name: string): Promise<Message> {
		return namedMessage(this.#store.messages, await this.#options.inboxes.visible(user, inboxName), name);
	}

	/** All that a message says to a user who may see it; undefined when it was deleted since. */
	async withContent(user: User, message: Message): Promise<ReadMessage | undefined> {
		const content = await this.#contents.read(user.id, message.sourceId);
		return content && {message, content};
	}

	/** The message with all that it says; with `link`, a pattern, only the links that fit it. */
	async read(user: User, inboxName: string, name: string, link?: string): Promise<ReadMessage> {
		const read = found(await this.withContent(user, await this.get(user, inboxName, name)), none('message', name));
		if (link === undefined) {
			return read;
		}

		const {message, content} = read;
		return {message, content: {...content, links: await this.#options.parser.linksLike(user.id, content.links, link)}};
	}

	/** Bytes of the mail as they came. */
	async raw(user: User, inboxName: string, name: string, range: ByteRange): Promise<Buffer> {
		const {sourceId} = await this.get(user, inboxName, name);
		return buffer(found(await this.#store.sources.read(sourceId, range), none('message', name)));
	}

	/** What the message says of an attachment, and its bytes. */
	async attachment(user: User, inboxName: string, name: string, attachmentId: string) {
		const {message, content} = await this.read(user, inboxName, name);
		const missing = none('attachment', attachmentId);
		const attachment = content.attachments.find(({id}) => id === attachmentId);
		const bytes = attachment && (await this.#contents.attachment(user.id, message.sourceId, attachmentId));
		return {attachment: found(attachment, missing), bytes: found(bytes, missing)};
	}

	/** The HTML of the message as a document for a sandbox, in UTF-8. */
	async document(user: User, inboxName: string, name: string): Promise<Uint8Array> {
		const {sourceId} = await this.get(user, inboxName, name);
		return found(await this.#contents.document(user.id, sourceId), none('message', name));
	}

	/** A part of its id is not enough: by then it may be that of another message. */
	async delete(user: User, inboxName: string, name: string): Promise<void> {
		const inbox = await this.#options.inboxes.visible(user, inboxName);
		const {id} = await namedMessage(this.#store.messages, inbox, name);
		const isWhole = name === id || name === latest;
		found(isWhole && (await this.#store.messages.delete(id)), none('message', name));
		await this.#options.feed.publish([{type: 'message.deleted', messageId: id, inbox}]);
	}

	/** Deletes all messages that the inbox has by now. */
	async deleteAll(user: User, inboxName: string): Promise<void> {
		const inbox = await this.#options.inboxes.visible(user, inboxName);
		try {
			await this.#store.messages.deleteAll(inbox.id);
		} finally {
			// When not all could be deleted, some may be.
			await this.#options.feed.publish([{type: 'messages.deleted', inbox}]);
		}
	}

	/** The rows of a mail that was staged, and what tells of them. When they cannot be made, nothing is left of it. */
	async #prepare(
		owner: string,
		{envelope, session}: Pick<Message, 'envelope' | 'session'>,
		staged: StagedSource,
		reached: readonly Reached[],
	) {
		try {
			const {id: sourceId, size, head} = staged;
			const open = head.length < size ? () => this.#store.sources.readStaged(staged) : undefined;
			const summary = await this.#options.parser.summarize(owner, head, open);
			const now = this.#options.now();
			const receivedAt = now.toISOString();
			const messages: Message[] = [];
			const announced: Announcement[] = [];
			const news: FeedItem[] = [];
			const bounces: PendingBounce[] = [];
			for (const {inbox: then, to, recipients} of reached) {
				// The mail may have taken minutes to come, and the inbox may have left its team since.
				const inbox = (await this.#store.inboxes.get(then.id)) ?? then;
				const id = this.#ids.next();
				const message = {id, inboxId: inbox.id, sourceId, size, envelope, session, to, receivedAt, summary};
				messages.push(message);
				bounces.push(...this.#options.bounces.of(message, inbox, recipients));
				news.push({type: 'message.received', messageId: id, inbox});
				for (const announcement of await this.#options.announcements.of(message, inbox, now)) {
					announced.push(announcement);
					const {id: deliveryId, endpointId} = announcement.delivery;
					news.push({type: 'delivery.changed', deliveryId, endpointId});
				}

				assertTogether(messages.length, announced.length);
			}

			const effect = await this.#options.faults.meet({envelope, session, summary, staged, messages});
			return {messages, bounces, weight: weightOf({summary, envelope, session}), announced, news, effect};
		} catch (error) {
			await this.#store.sources.discard(staged);
			throw error;
		}
	}
}

function none(what: 'message' | 'attachment', id: string): string {
	return `There is no ${what} "${id}" here.`;
}
