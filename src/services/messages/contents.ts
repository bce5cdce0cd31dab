import {Readable} from 'node:stream';
import type {Message, ReadMail} from '../../domain/message.js';
import {FairCache} from '../../lib/fair-cache.js';
import type {Parser} from '../../mime/parser.js';
import type {SourceStore, StagedSource} from '../../store/store.js';

/** How many bytes of parsed mail are kept, of all owners. */
const maxKeptBytes = 16 * 1024 * 1024;

type ContentParser = Pick<Parser, 'read' | 'find' | 'attachment' | 'document'>;

/** Which mail a message is, and its subject. */
type MailOf = Pick<Message, 'sourceId'> & {readonly summary: Pick<Message['summary'], 'subject'>};

/**
 * What mails say and the codes and links in them, read when first asked for. The latest are kept: whoever may read them finds
 * them, and an owner's large mails push out none but his own while others keep less.
 */
export class Contents {
	readonly #sources: Pick<SourceStore, 'read'>;
	readonly #parser: ContentParser;
	/** By source. */
	readonly #kept = new FairCache<ReadMail>(maxKeptBytes);
	/** By reader and source: nobody waits for what another one reads in his turn. */
	readonly #underWay = new Map<string, Promise<ReadMail | undefined>>();

	constructor(sources: Pick<SourceStore, 'read'>, parser: ContentParser) {
		this.#sources = sources;
		this.#parser = parser;
	}

	/** Undefined when the source was deleted. The owner is the parser's. */
	async read(owner: string, mail: MailOf): Promise<ReadMail | undefined> {
		const {sourceId} = mail;
		return this.#kept.get(sourceId) ?? this.#underWay.get(keyOf(owner, sourceId)) ?? this.#parse(owner, mail);
	}

	/** Begins to read a small mail that is being stored and will be asked for at once. */
	prepare(owner: string, mail: MailOf, {size, head}: StagedSource): void {
		if (head.length < size) {
			return;
		}

		// A failure is told to whoever asks.
		this.#parse(owner, mail, Readable.from([head])).catch(() => {});
	}

	/** The bytes of one attachment; undefined when there is no such one. */
	async attachment(owner: string, sourceId: string, attachmentId: string): Promise<Buffer | undefined> {
		const source = await this.#sources.read(sourceId);
		return source && this.#parser.attachment(owner, source, attachmentId);
	}

	/** The HTML as a document for a sandbox; undefined when the source was deleted. */
	async document(owner: string, sourceId: string): Promise<Uint8Array | undefined> {
		const source = await this.#sources.read(sourceId);
		return source && this.#parser.document(owner, source);
	}

	async #parse(owner: string, mail: MailOf, bytes?: Readable): Promise<ReadMail | undefined> {
		const key = keyOf(owner, mail.sourceId);
		const parsing = this.#parseNow(owner, mail, bytes).finally(() => this.#underWay.delete(key));
		this.#underWay.set(key, parsing);
		return parsing;
	}

	async #parseNow(owner: string, {sourceId, summary}: MailOf, bytes?: Readable): Promise<ReadMail | undefined> {
		const source = bytes ?? (await this.#sources.read(sourceId));
		if (!source) {
			return undefined;
		}

		const content = await this.#parser.read(owner, source);
		const {text, html} = content;
		const mail = {content, findings: await this.#parser.find(owner, {subject: summary.subject, text, html})};
		this.#kept.set(owner, sourceId, mail, sizeOf(mail));
		return mail;
	}
}

function keyOf(owner: string, sourceId: string): string {
	return `${owner} ${sourceId}`;
}

/** About as many bytes as a mail takes in memory: two for a character, and some for each object. */
function sizeOf({content: {text, html, headers, attachments}, findings: {codes, links}}: ReadMail): number {
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
