import {Readable} from 'node:stream';
import {type Content, type Message, rangeOf} from '../../domain/mail/message.js';
import {FairCache} from '../../lib/queue/fair-cache.js';
import type {Parser} from '../../mime/parser.js';
import type {SourceStore} from '../../store/port.js';

/** Maximum size of the cache in bytes. */
const maxCacheBytes = 16 * 1024 * 1024;

/** Message with its content. */
export type ReadMessage = {readonly message: Message; readonly content: Content};

/** Location of the bytes of a mail. */
type MailLocation = Pick<Message, 'sourceId' | 'size' | 'part'>;

type ContentParser = Pick<Parser, 'read' | 'attachment' | 'document'>;

/**
 * Contents of mails, parsed on first read, with a cache. Large mails of one user evict only mails of the same user while others
 * use less.
 */
export class Contents {
	readonly #sources: Pick<SourceStore, 'read'>;
	readonly #parser: ContentParser;
	/** Content by `keyOf`. */
	readonly #cache = new FairCache<Content>(maxCacheBytes);
	/** Reads under way, by user and mail: no user waits in the queue of another. */
	readonly #pending = new Map<string, Promise<Content | undefined>>();
	/** Users with a read started by `prepare`. */
	readonly #preparing = new Set<string>();

	constructor(sources: Pick<SourceStore, 'read'>, parser: ContentParser) {
		this.#sources = sources;
		this.#parser = parser;
	}

	/** Reads a mail in the parser's queue of this user. Undefined if the source was deleted. */
	async read(userId: string, mail: MailLocation): Promise<Content | undefined> {
		const key = keyOf(mail);
		return this.#cache.get(key) ?? this.#pending.get(`${userId} ${key}`) ?? this.#parse(userId, mail);
	}

	/**
	 * Starts to parse a small mail that is being stored and will be read at once. At most one per user: anybody can send mails that
	 * take long, and the user's own reads must not wait for them.
	 */
	prepare(userId: string, mail: MailLocation, bytes: Buffer): void {
		if (this.#preparing.has(userId)) {
			return;
		}

		this.#preparing.add(userId);
		// The next reader gets the error.
		this.#parse(userId, mail, Readable.from([bytes]))
			.catch(() => {})
			.finally(() => this.#preparing.delete(userId));
	}

	/** Reads the bytes of an attachment; undefined if there is none with this id. */
	async attachment(userId: string, mail: MailLocation, attachmentId: string): Promise<Buffer | undefined> {
		const source = await this.#open(mail);
		return source && this.#parser.attachment(userId, source, attachmentId);
	}

	/** Reads the HTML as a document for a sandbox; undefined if the source was deleted. */
	async document(userId: string, mail: MailLocation): Promise<Uint8Array | undefined> {
		const source = await this.#open(mail);
		return source && this.#parser.document(userId, source);
	}

	async #parse(userId: string, mail: MailLocation, bytes?: Readable): Promise<Content | undefined> {
		const key = `${userId} ${keyOf(mail)}`;
		const parsing = this.#parseNow(userId, mail, bytes).finally(() => this.#pending.delete(key));
		this.#pending.set(key, parsing);
		return parsing;
	}

	async #parseNow(userId: string, mail: MailLocation, bytes?: Readable): Promise<Content | undefined> {
		const source = bytes ?? (await this.#open(mail));
		const content = source && (await this.#parser.read(userId, source));
		if (content) {
			this.#cache.set(userId, keyOf(mail), content, sizeOf(content));
		}

		return content;
	}

	async #open(mail: MailLocation): Promise<Readable | undefined> {
		return this.#sources.read(mail.sourceId, rangeOf(mail));
	}
}

/** Key that all messages of a mail share. */
function keyOf({sourceId, part}: MailLocation): string {
	return part ? `${sourceId} ${part.start}` : sourceId;
}

/** Estimated memory of a mail: two bytes per character, and some for each object. */
function sizeOf({text, html, headers, attachments, codes, links}: Content): number {
	const strings = [
		text,
		html,
		...codes,
		...headers.flatMap(({name, value}) => [name, value]),
		...links.flatMap(({url, text}) => [url, text]),
	];
	const objects = 1 + headers.length + attachments.length + codes.length + links.length;
	return 2 * strings.reduce((sum, {length}) => sum + length, 0) + 100 * objects;
}
