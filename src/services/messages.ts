import type {Readable} from 'node:stream';
import {AppError} from '../domain/errors.js';
import {asksForContent, checksOf, holds, type MessageFilter, type MessageQuery} from '../domain/filter.js';
import type {Inbox} from '../domain/inbox.js';
import type {Attachment, Content, Envelope, Findings, Message} from '../domain/message.js';
import type {Page} from '../domain/page.js';
import type {User} from '../domain/user.js';
import type {StagedSource, Store} from '../store/store.js';
import {Contents} from './contents.js';
import {Describer, type DescriberOptions} from './describer.js';
import type {Inboxes} from './inboxes.js';
import {MessageIds} from './message-ids.js';
import {type Miss, Search, SearchProgress} from './search.js';

export type MessagesOptions = DescriberOptions & {readonly inboxes: Inboxes; readonly now: () => Date};

/** An inbox that a mail reached, and the recipient that led there. */
type Reached = {readonly inbox: Inbox; readonly to: string};

/** A message as its single read shows it. */
export type ReadMessage = {readonly message: Message; readonly content: Content; readonly findings: Findings};

type MessageStores = Pick<Store, 'messages' | 'sources'>;

/**
 * Takes mail in, and shows it to those who may see its inbox; to others everything is `not_found`.
 *
 * A message is stored before its header is read, which follows at once. Lists let that reading finish first, so that
 * no caller meets a message without a subject; only what cannot be stored, as on a full disk, is shown by its envelope.
 */
export class Messages {
	readonly #store: MessageStores;
	readonly #options: MessagesOptions;
	readonly #describer: Describer;
	readonly #contents: Contents;
	readonly #ids = new MessageIds();
	readonly #search: Search;

	constructor(store: MessageStores, options: MessagesOptions) {
		this.#store = store;
		this.#options = options;
		this.#describer = new Describer(store, options);
		this.#contents = new Contents(store.sources, options.parser);
		this.#search = new Search({messages: store.messages, contents: this.#contents, parser: options.parser});
	}

	async start(): Promise<void> {
		await this.#describer.start();
	}

	async stop(): Promise<void> {
		await this.#describer.stop();
	}

	/**
	 * Stores one mail: a message in each inbox that its recipients lead to. It is durable once this resolved. Throws
	 * `not_found` when no recipient leads anywhere (any more), and whatever the source fails with.
	 */
	async deliver(envelope: Envelope, source: Readable): Promise<void> {
		const reached = await this.#reachedBy(envelope.to);
		if (reached.length === 0) {
			throw new AppError('not_found', 'None of the recipients has an inbox here. Create one with the address first.');
		}

		const staged = await this.#store.sources.stage(source);
		const receivedAt = this.#options.now().toISOString();
		const messages = reached.map(({inbox, to}): Message => {
			const {id: sourceId, size} = staged;
			return {id: this.#ids.next(), inboxId: inbox.id, sourceId, size, envelope, to, receivedAt, summary: null};
		});
		const deliveries = await this.#announce(messages, reached, staged);
		await this.#store.messages.add({source: staged, messages, deliveries});
		this.#describer.add({messages, head: staged.head});
		if (messages.some(({inboxId}) => this.#options.feed.waiting(inboxId) > 0)) {
			this.#contents.prepare(staged);
		}
	}

	/**
	 * What the inbox holds by now, newest first; of what asks for content, as far back as a search goes. Looks that share
	 * their progress read no mail twice.
	 */
	async list(
		user: User,
		inboxId: string,
		filter: MessageQuery,
		page: Page,
		progress = new SearchProgress(),
	): Promise<readonly Message[]> {
		await this.#options.inboxes.visible(user, inboxId);
		await this.#describer.settled(inboxId);
		const rows = asksForContent(filter)
			? await this.#search.find(inboxId, filter, page, progress)
			: await this.#store.messages.list(inboxId, filter, page);
		return rows.every(({summary}) => summary !== null) ? rows : this.#completed(rows, inboxId, filter);
	}

	/** Of the newest messages those that do not match, the nearest misses first. */
	async misses(user: User, inboxId: string, filter: MessageQuery, limit: number): Promise<readonly Miss[]> {
		await this.#options.inboxes.visible(user, inboxId);
		await this.#describer.settled(inboxId);
		return this.#search.misses(inboxId, filter, limit);
	}

	/** Throws `not_found`, as do all that follow. */
	async get(user: User, inboxId: string, id: string): Promise<Message> {
		await this.#options.inboxes.visible(user, inboxId);
		await this.#describer.settled(inboxId);
		const message = await this.#store.messages.get(id);
		if (message?.inboxId !== inboxId) {
			throw unknown('message', id);
		}

		return message;
	}

	/** What a message says; undefined when it was deleted since. */
	async contentOf({sourceId}: Message): Promise<Content | undefined> {
		return this.#contents.read(sourceId);
	}

	/** The message with all that it says; with `link`, a pattern, only the links that fit it. */
	async read(user: User, inboxId: string, id: string, link?: string): Promise<ReadMessage> {
		const {message, content} = await this.#withContent(user, inboxId, id);
		const {text, html} = content;
		const findings = await this.#options.parser.find({subject: message.summary?.subject ?? '', text, html}, link);
		return {message, content, findings};
	}

	/** The bytes of the mail as they came. */
	async raw(user: User, inboxId: string, id: string): Promise<{readonly message: Message; readonly source: Readable}> {
		const message = await this.get(user, inboxId, id);
		const source = await this.#store.sources.read(message.sourceId);
		if (!source) {
			throw unknown('message', id);
		}

		return {message, source};
	}

	async attachment(
		user: User,
		inboxId: string,
		id: string,
		attachmentId: string,
	): Promise<{readonly attachment: Attachment; readonly bytes: Buffer}> {
		const {message, content} = await this.#withContent(user, inboxId, id);
		const attachment = content.attachments.find(candidate => candidate.id === attachmentId);
		const bytes = attachment && (await this.#contents.attachment(message.sourceId, attachmentId));
		if (!attachment || !bytes) {
			throw unknown('attachment', attachmentId);
		}

		return {attachment, bytes};
	}

	async delete(user: User, inboxId: string, id: string): Promise<void> {
		await this.get(user, inboxId, id);
		if (!(await this.#store.messages.delete(id))) {
			throw unknown('message', id);
		}
	}

	async #withContent(user: User, inboxId: string, id: string): Promise<Omit<ReadMessage, 'findings'>> {
		const message = await this.get(user, inboxId, id);
		const content = await this.contentOf(message);
		if (!content) {
			throw unknown('message', id);
		}

		return {message, content};
	}

	/** Each inbox once, however many recipients lead to it: the first one counts. */
	async #reachedBy(recipients: readonly string[]): Promise<readonly Reached[]> {
		const reached = new Map<string, Reached>();
		for (const to of recipients) {
			const inbox = await this.#options.inboxes.resolve(to);
			if (inbox && !reached.has(inbox.id)) {
				reached.set(inbox.id, {inbox, to});
			}
		}

		return [...reached.values()];
	}

	async #announce(messages: readonly Message[], reached: readonly Reached[], staged: StagedSource) {
		try {
			return await this.#options.announcer.announce(
				messages,
				reached.map(({inbox}) => inbox),
			);
		} catch (error) {
			await this.#store.sources.discard(staged);
			throw error;
		}
	}

	/** Rows that came in while the list was being read, once their headers are read, too. */
	async #completed(rows: readonly Message[], inboxId: string, filter: MessageFilter): Promise<readonly Message[]> {
		await this.#describer.settled(inboxId);
		const completed = await Promise.all(rows.map(({id}) => this.#store.messages.get(id)));
		const checks = checksOf(filter);
		return completed.filter(row => row !== undefined).filter(row => holds(checks, row));
	}
}

function unknown(what: 'message' | 'attachment', id: string): AppError {
	return new AppError('not_found', `There is no ${what} "${id}" here.`);
}
