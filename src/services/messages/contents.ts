import {Readable} from 'node:stream';
import {type Content, type Message, rangeOf} from '../../domain/mail/message.js';
import {FairCache} from '../../lib/queue/fair-cache.js';
import type {Parser} from '../../mime/parser.js';
import type {SourceStore} from '../../store/port.js';

/** How many bytes of parsed mail are kept, of all owners. */
const maxKeptBytes = 16 * 1024 * 1024;

/** A message as its single read shows it. */
export type ReadMessage = {readonly message: Message; readonly content: Content};

/** What tells where the bytes of a mail are. */
type Placed = Pick<Message, 'sourceId' | 'size' | 'part'>;

type ContentParser = Pick<Parser, 'read' | 'attachment' | 'document'>;

/**
 * What mails say, read when first asked for. The latest are kept: whoever may read them finds them, and an owner's large
 * mails push out none but his own while others keep less.
 */
export class Contents {
	readonly #sources: Pick<SourceStore, 'read'>;
	readonly #parser: ContentParser;
	/** By mail. */
	readonly #kept = new FairCache<Content>(maxKeptBytes);
	/** By reader and mail: nobody waits for what another one reads in his turn. */
	readonly #underWay = new Map<string, Promise<Content | undefined>>();
	/** Owners for whom a mail is being prepared. */
	readonly #preparing = new Set<string>();

	constructor(sources: Pick<SourceStore, 'read'>, parser: ContentParser) {
		this.#sources = sources;
		this.#parser = parser;
	}

	/** Undefined when the source was deleted. The owner is the parser's. */
	async read(owner: string, mail: Placed): Promise<Content | undefined> {
		const key = keyOf(mail);
		return this.#kept.get(key) ?? this.#underWay.get(`${owner} ${key}`) ?? this.#parse(owner, mail);
	}

	/**
	 * Begins to read a small mail that is being stored and will be asked for at once. One of an owner at a time: anybody may
	 * send him many that take long, and what he asks for himself must not wait behind them.
	 */
	prepare(owner: string, mail: Placed, bytes: Buffer): void {
		if (this.#preparing.has(owner)) {
			return;
		}

		this.#preparing.add(owner);
		// A failure is told to whoever asks.
		this.#parse(owner, mail, Readable.from([bytes]))
			.catch(() => {})
			.finally(() => this.#preparing.delete(owner));
	}

	/** The bytes of one attachment; undefined when there is no such one. */
	async attachment(owner: string, mail: Placed, attachmentId: string): Promise<Buffer | undefined> {
		const source = await this.#open(mail);
		return source && this.#parser.attachment(owner, source, attachmentId);
	}

	/** The HTML as a document for a sandbox; undefined when the source was deleted. */
	async document(owner: string, mail: Placed): Promise<Uint8Array | undefined> {
		const source = await this.#open(mail);
		return source && this.#parser.document(owner, source);
	}

	async #parse(owner: string, mail: Placed, bytes?: Readable): Promise<Content | undefined> {
		const key = `${owner} ${keyOf(mail)}`;
		const parsing = this.#parseNow(owner, mail, bytes).finally(() => this.#underWay.delete(key));
		this.#underWay.set(key, parsing);
		return parsing;
	}

	async #parseNow(owner: string, mail: Placed, bytes?: Readable): Promise<Content | undefined> {
		const source = bytes ?? (await this.#open(mail));
		const content = source && (await this.#parser.read(owner, source));
		if (content) {
			this.#kept.set(owner, keyOf(mail), content, sizeOf(content));
		}

		return content;
	}

	async #open(mail: Placed): Promise<Readable | undefined> {
		return this.#sources.read(mail.sourceId, rangeOf(mail));
	}
}

/** The same for all messages of a mail. */
function keyOf({sourceId, part}: Placed): string {
	return part ? `${sourceId} ${part.start}` : sourceId;
}

/** About as many bytes as a mail takes in memory: two for a character, and some for each object. */
function sizeOf({text, html, headers, attachments, codes, links}: Content): number {
	const texts = [
		text,
		html,
		...codes,
		...headers.flatMap(({name, value}) => [name, value]),
		...links.flatMap(({url, text}) => [url, text]),
	];
	const objects = 1 + headers.length + attachments.length + codes.length + links.length;
	return 2 * texts.reduce((sum, {length}) => sum + length, 0) + 100 * objects;
}
