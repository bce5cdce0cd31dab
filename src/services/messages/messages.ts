import {buffer} from 'node:stream/consumers';
import {latest, maxTogether, type Page} from '../../contract/constants.js';
import type {User} from '../../domain/accounts/user.js';
import {AppError, found} from '../../domain/errors.js';
import type {MessageQuery} from '../../domain/mail/filter.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import {type Message, rangeOf} from '../../domain/mail/message.js';
import {formatSize} from '../../lib/text/units.js';
import type {Parser} from '../../mime/parser.js';
import type {ByteRange, MessageStore, Store} from '../../store/port.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Feed} from '../live/feed.js';
import type {Quotas} from '../quotas.js';
import type {Contents, ReadMessage} from './contents.js';
import {Imports} from './imports.js';
import type {MailReceiver} from './receive.js';
import {AllMail, type Miss, Search, type SearchProgress} from './search.js';
import {readRequest, type StoredRequest} from './source.js';

export type MessagesOptions = {
	readonly inboxes: Inboxes;
	readonly receiver: Pick<MailReceiver, 'receive'>;
	readonly contents: Contents;
	readonly parser: Parser;
	readonly quotas: Pick<Quotas, 'mail'>;
	readonly feed: Feed;
	readonly now: () => Date;
};

/** Bytes of a message. */
export type MessageSource = {readonly id: string; readonly source: Buffer};

type MessageStores = Pick<Store, 'messages' | 'sources' | 'teams'>;

/**
 * Messages of the inboxes that a user can see; everything else throws `not_found`. An inbox is named by its id or its
 * address, a message as in `findMessage`.
 */
export class Messages {
	/** Mail of all inboxes visible to a user. */
	readonly all: AllMail;
	readonly imports: Imports;
	readonly #store: MessageStores;
	readonly #options: MessagesOptions;
	readonly #contents: Contents;
	readonly #search: Search;

	constructor(store: MessageStores, options: MessagesOptions) {
		this.#store = store;
		this.#options = options;
		this.#contents = options.contents;
		this.#search = new Search(store.messages, options.contents, options.parser);
		this.imports = new Imports(options);
		this.all = new AllMail(store, this.#search, options.now);
	}

	/** What the inbox holds by now, newest first, as far back as a search goes. Looks that share progress see nothing twice in vain. */
	async list(
		user: User,
		inboxName: string,
		filter: MessageQuery,
		page: Page,
		progress: SearchProgress = {},
	): Promise<readonly Message[]> {
		const {id: inboxId} = await this.#options.inboxes.visible(user, inboxName);
		return this.#search.find(user.id, inboxId, filter, page, progress);
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

	/** Throws as `findMessage`, as do all that follow. */
	async get(user: User, inboxName: string, name: string): Promise<Message> {
		return findMessage(this.#store.messages, await this.#options.inboxes.visible(user, inboxName), name);
	}

	/** All that a message says to a user who may see it; undefined when it was deleted since. */
	async withContent(user: User, message: Message): Promise<ReadMessage | undefined> {
		const content = await this.#contents.read(user.id, message);
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
		const message = await this.get(user, inboxName, name);
		return buffer(
			found(await this.#store.sources.read(message.sourceId, rangeOf(message, range)), none('message', name)),
		);
	}

	/**
	 * The bytes of these messages, without those that are gone. Throws `too_large` when they come to more than `maxTogether`.
	 */
	async sources(user: User, inboxName: string, ids: readonly string[]): Promise<readonly MessageSource[]> {
		const {id: inboxId} = await this.#options.inboxes.visible(user, inboxName);
		const known = await Promise.all(ids.map(async id => this.#store.messages.get(id)));
		const messages = known.filter(message => message?.inboxId === inboxId) as readonly Message[];
		if (messages.reduce((sum, {size}) => sum + size, 0) > maxTogether.bytes) {
			throw new AppError(
				'too_large',
				`These messages exceed ${formatSize(maxTogether.bytes)} in total. Request fewer, or each one separately.`,
			);
		}

		const read = messages.map(async message => {
			const bytes = await this.#store.sources.read(message.sourceId, rangeOf(message));
			return bytes && {id: message.id, source: await buffer(bytes)};
		});
		return (await Promise.all(read)).filter(source => source !== undefined);
	}

	/** The request of a sending API that brought the mail, and what it says of this mail alone. */
	async request(user: User, inboxName: string, name: string): Promise<StoredRequest> {
		const {sourceId, size, part, session} = await this.get(user, inboxName, name);
		const {start, end, requestAt} = found(
			session ? part : undefined,
			`The message "${name}" has no request: it was not sent through a sending API.`,
		);
		const read = async (range: ByteRange) =>
			buffer(found(await this.#store.sources.read(sourceId, range), none('message', name)));
		const data = end === start + size ? undefined : await read({start: start + size, end: end - 1});
		const request = readRequest(await read({start: requestAt, end: Number.POSITIVE_INFINITY}), data);
		return found(request, `The request of message "${name}" is no longer stored.`);
	}

	/** What the message says of an attachment, and its bytes. */
	async attachment(user: User, inboxName: string, name: string, attachmentId: string) {
		const {message, content} = await this.read(user, inboxName, name);
		const missing = none('attachment', attachmentId);
		const attachment = content.attachments.find(({id}) => id === attachmentId);
		const bytes = attachment && (await this.#contents.attachment(user.id, message, attachmentId));
		return {attachment: found(attachment, missing), bytes: found(bytes, missing)};
	}

	/** The HTML of the message as a document for a sandbox, in UTF-8. */
	async document(user: User, inboxName: string, name: string): Promise<Uint8Array> {
		const message = await this.get(user, inboxName, name);
		return found(await this.#contents.document(user.id, message), none('message', name));
	}

	/** A part of its id is not enough: by then it may be that of another message. */
	async delete(user: User, inboxName: string, name: string): Promise<void> {
		const inbox = await this.#options.inboxes.visible(user, inboxName);
		const {id} = await findMessage(this.#store.messages, inbox, name);
		const isWhole = name === id || name === latest;
		found(isWhole && (await this.#store.messages.delete(id)), none('message', name));
		await this.#options.feed.publish([{type: 'message.deleted', messageId: id, inbox}]);
	}

	/** Deletes all messages that the inbox has by now, or none newer than that one. */
	async deleteAll(user: User, inboxName: string, upTo?: string): Promise<void> {
		const inbox = await this.#options.inboxes.visible(user, inboxName);
		try {
			await this.#store.messages.deleteAll(inbox.id, upTo);
		} finally {
			// When not all could be deleted, some may be.
			await this.#options.feed.publish([{type: 'messages.deleted', inbox}]);
		}
	}
}

function none(what: 'message' | 'attachment', id: string): string {
	return `There is no ${what} "${id}".`;
}

/** A part of an id that may name a message. */
const idPart = /^[\da-f-]{6,35}$/;

/** How many ids an error names. */
const maxNamed = 5;

/**
 * The message of an inbox with this id, or with the only one that begins or ends so, or the latest. Throws `not_found`, and
 * `ambiguous` for a part that several ids have.
 */
async function findMessage(
	messages: Pick<MessageStore, 'get' | 'list' | 'walk'>,
	{id: inboxId, address}: Inbox,
	name: string,
): Promise<Message> {
	if (name === latest) {
		const [newest] = await messages.list(inboxId, {}, {page: 1, limit: 1});
		return found(newest, `There are no messages in ${address} yet.`);
	}

	const known = await messages.get(name);
	const part = name.toLowerCase();
	const named = known ? [known] : idPart.test(part) ? await withPart(messages.walk(inboxId, {}), part) : [];
	if (named.length > 1) {
		const ids = named.slice(0, maxNamed).map(({id}) => id);
		const more = named.length > maxNamed ? ', and more' : '';
		throw new AppError(
			'ambiguous',
			`Several message ids begin or end with "${name}": ${ids.join(', ')}${more}. Use more characters of the id.`,
		);
	}

	const [message] = named;
	return found(message?.inboxId === inboxId && message, `There is no message "${name}" in this inbox.`);
}

/** The newest that have it, as many as are told of. */
async function withPart(all: AsyncIterable<readonly Message[]>, part: string): Promise<readonly Message[]> {
	const having: Message[] = [];
	for await (const messages of all) {
		having.push(...messages.filter(({id}) => id.startsWith(part) || id.endsWith(part)));
		if (having.length > maxNamed) {
			break;
		}
	}

	return having;
}
