import {buffer} from 'node:stream/consumers';
import {latest, maxTogether, type Page} from '../../contract/constants.js';
import type {ImportMail} from '../../contract/messages.js';
import type {User} from '../../domain/accounts/user.js';
import {AppError, found} from '../../domain/errors.js';
import type {MessageQuery} from '../../domain/mail/filter.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import {type Envelope, type Message, rangeOf, readMailbox, type Summary} from '../../domain/mail/message.js';
import {formatSize} from '../../lib/text/units.js';
import type {Parser} from '../../mime/parser.js';
import type {ByteRange, MessageStore, Store} from '../../store/port.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Feed} from '../live/feed.js';
import type {Quotas} from '../quotas.js';
import type {Contents, ReadMessage} from './contents.js';
import type {IncomingMail, MailReceiver} from './receive.js';
import {AllMail, type NearMiss, Search, type SearchProgress} from './search.js';
import {bytesOf, readHeader, readRequest, type StoredRequest} from './source.js';

type MessagesOptions = {
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
	readonly search: Search;

	constructor(store: MessageStores, options: MessagesOptions) {
		this.#store = store;
		this.#options = options;
		this.#contents = options.contents;
		this.search = new Search(store.messages, options.contents, options.parser);
		this.imports = new Imports(options);
		this.all = new AllMail(store, this.search, options.now);
	}

	/** Messages of an inbox, newest first, as far back as a search goes. Calls with the same `progress` skip messages already rejected. */
	async list(
		user: User,
		inboxName: string,
		filter: MessageQuery,
		page: Page,
		progress: SearchProgress = {},
	): Promise<readonly Message[]> {
		const {id: inboxId} = await this.#options.inboxes.visible(user, inboxName);
		return this.search.find(user.id, inboxId, filter, page, progress);
	}

	/** Near misses among the newest messages, nearest first. Stops when the signal aborts. */
	async misses(
		user: User,
		inboxName: string,
		filter: MessageQuery,
		limit: number,
		signal: AbortSignal,
	): Promise<readonly NearMiss[]> {
		const {id: inboxId} = await this.#options.inboxes.visible(user, inboxName);
		return this.search.misses(user.id, inboxId, filter, limit, signal);
	}

	/** Throws like `findMessage`, as all methods below. */
	async get(user: User, inboxName: string, name: string): Promise<Message> {
		return findMessage(this.#store.messages, await this.#options.inboxes.visible(user, inboxName), name);
	}

	/** Content of a message that the user can see; undefined if it was deleted. */
	async withContent(user: User, message: Message): Promise<ReadMessage | undefined> {
		const content = await this.#contents.read(user.id, message);
		return content && {message, content};
	}

	/** Message with its content; with `link`, a pattern, only matching links. */
	async read(user: User, inboxName: string, name: string, link?: string): Promise<ReadMessage> {
		const read = found(await this.withContent(user, await this.get(user, inboxName, name)), notFound('message', name));
		if (link === undefined) {
			return read;
		}

		const {message, content} = read;
		return {message, content: {...content, links: await this.#options.parser.linksLike(user.id, content.links, link)}};
	}

	/** Source of the message. */
	async raw(user: User, inboxName: string, name: string, range: ByteRange): Promise<Buffer> {
		const message = await this.get(user, inboxName, name);
		return buffer(
			found(await this.#store.sources.read(message.sourceId, rangeOf(message, range)), notFound('message', name)),
		);
	}

	/**
	 * Sources of these messages, without deleted ones. Throws `too_large` if they exceed `maxTogether`.
	 */
	async sources(user: User, inboxName: string, ids: readonly string[]): Promise<readonly MessageSource[]> {
		const {id: inboxId} = await this.#options.inboxes.visible(user, inboxName);
		const messagesById = await Promise.all(ids.map(async id => this.#store.messages.get(id)));
		const messages = messagesById.filter(message => message?.inboxId === inboxId) as readonly Message[];
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

	/** Request to a sending API that brought the mail. */
	async request(user: User, inboxName: string, name: string): Promise<StoredRequest> {
		const {sourceId, size, part, session} = await this.get(user, inboxName, name);
		const {start, end, requestAt} = found(
			session ? part : undefined,
			`The message "${name}" has no request: it was not sent through a sending API.`,
		);
		const read = async (range: ByteRange) =>
			buffer(found(await this.#store.sources.read(sourceId, range), notFound('message', name)));
		const data = end === start + size ? undefined : await read({start: start + size, end: end - 1});
		const request = readRequest(await read({start: requestAt, end: Number.POSITIVE_INFINITY}), data);
		return found(request, `The request of message "${name}" is no longer stored.`);
	}

	/** Attachment with its bytes. */
	async attachment(user: User, inboxName: string, name: string, attachmentId: string) {
		const {message, content} = await this.read(user, inboxName, name);
		const missing = notFound('attachment', attachmentId);
		const attachment = content.attachments.find(({id}) => id === attachmentId);
		const bytes = attachment && (await this.#contents.attachment(user.id, message, attachmentId));
		return {attachment: found(attachment, missing), bytes: found(bytes, missing)};
	}

	/** HTML of the message as a document for a sandbox, in UTF-8. */
	async document(user: User, inboxName: string, name: string): Promise<Uint8Array> {
		const message = await this.get(user, inboxName, name);
		return found(await this.#contents.document(user.id, message), notFound('message', name));
	}

	/** Deletes a message. Takes its full id or `latest`: a prefix could match another message by now. */
	async delete(user: User, inboxName: string, name: string): Promise<void> {
		const inbox = await this.#options.inboxes.visible(user, inboxName);
		const {id} = await findMessage(this.#store.messages, inbox, name);
		const isWhole = name === id || name === latest;
		found(isWhole && (await this.#store.messages.delete(id)), notFound('message', name));
		await this.#options.feed.publish([{type: 'message.deleted', messageId: id, inbox}]);
	}

	/** Deletes all current messages of the inbox, or those up to `upTo`. */
	async deleteAll(user: User, inboxName: string, upTo?: string): Promise<void> {
		const inbox = await this.#options.inboxes.visible(user, inboxName);
		try {
			await this.#store.messages.deleteAll(inbox.id, upTo, user.id);
		} finally {
			// An error may leave some of them deleted.
			await this.#options.feed.publish([{type: 'messages.deleted', inbox}]);
		}
	}
}

function notFound(what: 'message' | 'attachment', id: string): string {
	return `There is no ${what} "${id}".`;
}

/** Beginning or end of an id that may name a message. */
const idPart = /^[\da-f-]{6,35}$/;

/** Maximum number of ids in an error. */
const maxNamed = 5;

/**
 * Finds a message by its id, by a unique beginning or end of it, or the `latest`. Throws `not_found`, and `ambiguous` if several
 * ids match.
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

	const messageById = await messages.get(name);
	const part = name.toLowerCase();
	const isPart = !messageById && idPart.test(part);
	const named = isPart ? await matchingIds(messages.walk(inboxId, {}), part) : [messageById];
	if (named.length > 1) {
		const ids = named.slice(0, maxNamed).map(one => one?.id);
		const more = named.length > maxNamed ? ', and more' : '';
		throw new AppError(
			'ambiguous',
			`Several message ids begin or end with "${name}": ${ids.join(', ')}${more}. Use more characters of the id.`,
		);
	}

	const [message] = named;
	return found(message?.inboxId === inboxId && message, `There is no message "${name}" in this inbox.`);
}

/** The newest messages whose id begins or ends so, one more than an error names. */
async function matchingIds(all: AsyncIterable<readonly Message[]>, part: string): Promise<readonly Message[]> {
	const matching: Message[] = [];
	for await (const messages of all) {
		matching.push(...messages.filter(({id}) => id.startsWith(part) || id.endsWith(part)));
		if (matching.length > maxNamed) {
			break;
		}
	}

	return matching;
}

type ImportsOptions = {
	readonly inboxes: Pick<Inboxes, 'visible'>;
	readonly parser: Pick<Parser, 'summarize' | 'read'>;
	readonly quotas: Pick<Quotas, 'mail'>;
	readonly receiver: Pick<MailReceiver, 'receive'>;
	readonly now: () => Date;
};

/** Maximum number of envelope recipients, as for SMTP. */
const maxRecipients = 100;

/** Imports existing mail into an inbox that the user can see, whoever it is addressed to, as if it arrived now. */
class Imports {
	readonly #options: ImportsOptions;

	constructor(options: ImportsOptions) {
		this.#options = options;
	}

	/**
	 * Stores mails durably, all or none, and returns their messages in the same order. No fault applies to them, and no bounce is
	 * generated. `turn` is awaited before each mail. Throws `not_found` for the inbox, and the errors of `MailReceiver.receive`.
	 */
	async add(
		user: User,
		inboxName: string,
		sources: readonly Buffer[],
		terms: ImportMail,
		turn = async () => {},
	): Promise<readonly Message[]> {
		const {inboxes, parser, receiver} = this.#options;
		const inbox = await inboxes.visible(user, inboxName);
		const mails: IncomingMail[] = [];
		for (const source of sources) {
			await turn();
			const summary = await readHeader(parser, user.id, bytesOf(source));
			const envelope = envelopeOf(summary, terms);
			const recipients = [{inbox, to: envelope.to[0] ?? inbox.address, recipients: []}];
			mails.push({envelope, session: null, source, summary, recipients, inboxId: inbox.id});
		}

		return (await receiver.receive(mails)).messages;
	}

	/** Returns what `add` would store, without storing it. Throws the same errors. */
	async check(user: User, inboxName: string, source: Buffer, terms: ImportMail): Promise<ReadMessage> {
		const {inboxes, quotas, parser, now} = this.#options;
		const inbox = await inboxes.visible(user, inboxName);
		await quotas.mail.assertRoom(inbox.ownerId);
		const bytes = bytesOf(source);
		const summary = await readHeader(parser, user.id, bytes);
		const envelope = envelopeOf(summary, terms);
		const message = {
			id: '',
			inboxId: inbox.id,
			sourceId: '',
			size: source.length,
			envelope,
			session: null,
			to: envelope.to[0] ?? inbox.address,
			receivedAt: now().toISOString(),
			summary,
		};
		return {message, content: await parser.read(user.id, await bytes.read())};
	}
}

/** Takes sender and recipients from the header unless the caller names them. Trace fields of other servers are ignored. */
function envelopeOf({from, to, cc}: Summary, terms: ImportMail): Envelope {
	const addresses = [...to, ...cc].map(mailbox => readMailbox(mailbox).address);
	return {from: terms.from ?? from, to: (terms.to ?? [...new Set(addresses)]).slice(0, maxRecipients)};
}
