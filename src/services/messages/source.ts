import {isUtf8} from 'node:buffer';
import {Readable} from 'node:stream';
import {v7 as uuid} from 'uuid';
import type {SourcePart, Summary} from '../../domain/mail/message.js';
import type {Parser} from '../../mime/parser.js';
import type {SourceStore, StagedSource} from '../../store/port.js';

/** Largest mail that is parsed while it is stored, in bytes, if a long poll waits for it. */
export const smallBytes = 64 * 1024;

/** Size that a request may have beyond twice the size of its mails, in bytes. No quota counts it, so more is not stored. */
const freeBytes = 64 * 1024;

/** Size of the chunks that a buffer is read in, so that other work gets a turn. */
const chunkBytes = 64 * 1024;

/** Bytes of a mail while it is received. */
export type MailBytes = {
	readonly size: number;
	/** All of a small mail, at least 64 KiB of a large one. */
	readonly head: Buffer;
	read(): Readable | Promise<Readable>;
};

/** Bytes of the mails of one commit, on their way to the store. */
export type IncomingSource<Mail> = {
	readonly id: string;
	bytesOf(mail: Mail): MailBytes;
	/** Stages the bytes of these mails. `parts` has their positions if they share one source. */
	stage(mails: readonly Mail[], request: SendRequest | undefined, hasBody: boolean): Promise<StagedMails>;
	/** Drops whatever was staged. */
	discard(): Promise<void>;
};

type StagedMails = {readonly staged: StagedSource; readonly parts: readonly SourcePart[] | undefined};

type SourcedMail = {readonly source: Readable | Buffer | HeldSource; readonly data?: TemplateData | undefined};

/** Source of a mail that is kept in memory or on disk until it is stored. */
export type HeldSource = {
	/** Size in bytes. */
	readonly length: number;
	/** The first bytes: all of a small mail in memory. */
	readonly head: Buffer;
	read(): Promise<Buffer>;
};

/** Template data of one mail of a request. */
export type TemplateData = Readonly<Record<string, unknown>>;

/** Request to a sending API that brought mails. */
export type SendRequest = {
	readonly provider: string;
	readonly method: string;
	readonly path: string;
	/** Without credentials. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: Buffer;
};

/** Stored request, as it is read for one of its mails. */
export type StoredRequest = Omit<SendRequest, 'body'> & {
	/** Base64 unless it is UTF-8; null if it was not stored. */
	readonly body: string | null;
	readonly encoding: 'utf8' | 'base64';
	/** Size of the original body in bytes. */
	readonly bodySize: number;
	/** Template data of the mail; null if there is none, or too much to store. */
	readonly data: Readonly<Record<string, unknown>> | null;
};

/**
 * Receives the bytes of mails. A stream is staged completely before this resolves; buffers are staged by `stage`, which gets the
 * mails to store.
 */
export async function receiveSource<Mail extends SourcedMail>(
	store: SourceStore,
	mails: readonly Mail[],
): Promise<IncomingSource<Mail>> {
	const [first] = mails;
	return first?.source instanceof Readable ? receiveStream(store, first.source) : receiveBuffers(store);
}

async function receiveStream<Mail>(store: SourceStore, stream: Readable): Promise<IncomingSource<Mail>> {
	const staged = await store.stage(stream);
	return {
		id: staged.id,
		bytesOf: () => ({size: staged.size, head: staged.head, read: async () => store.readStaged(staged)}),
		stage: async () => ({staged, parts: undefined}),
		discard: async () => store.discard(staged),
	};
}

function receiveBuffers<Mail extends SourcedMail>(store: SourceStore): IncomingSource<Mail> {
	const id = uuid();
	let staged: StagedSource | undefined;
	return {
		id,
		bytesOf: mail => bytesOf(heldSourceOf(mail)),
		async stage(mails, request, hasBody) {
			const held = mails.map(mail => ({source: heldSourceOf(mail), data: mail.data}));
			const {pieces, parts} = joinMails(held, request, hasBody);
			staged = await store.stage(Readable.from(chunksIn(pieces), {objectMode: false}), id);
			return {staged, parts};
		},
		async discard() {
			if (staged) {
				await store.discard(staged);
			}
		},
	};
}

function heldSourceOf({source}: SourcedMail): Buffer | HeldSource {
	if (source instanceof Readable) {
		throw new TypeError('A stream must be the only mail of its commit.');
	}

	return source;
}

/** Presents a mail that is held in memory or on disk. */
export function bytesOf(source: Buffer | HeldSource): MailBytes {
	const read = () => Readable.from(chunksIn([source]), {objectMode: false});
	return {
		size: source.length,
		head: Buffer.isBuffer(source) ? source.subarray(0, smallBytes) : source.head,
		read,
	};
}

/** Reads the header section of a mail, in the parser's queue of this user. */
export async function readHeader(
	parser: Pick<Parser, 'summarize'>,
	userId: string,
	bytes: MailBytes,
): Promise<Summary> {
	const {head, size, read} = bytes;
	return parser.summarize(userId, head, head.length < size ? async () => read() : undefined);
}

/**
 * Joins the mails of a request to one source: each mail with its template data behind it, then the request. Without `hasBody`
 * the body of the request is left out.
 */
export function joinMails(
	mails: ReadonlyArray<{readonly source: Buffer | HeldSource; readonly data?: TemplateData | undefined}>,
	request: SendRequest | undefined,
	hasBody: boolean,
): {readonly pieces: ReadonlyArray<Buffer | HeldSource>; readonly parts: readonly SourcePart[]} {
	const pieces: Array<Buffer | HeldSource> = [];
	let size = 0;
	const add = (bytes: Buffer | HeldSource) => {
		pieces.push(bytes);
		size += bytes.length;
		return size;
	};
	const ranges = mails.map(({source, data}) => {
		const start = size;
		add(source);
		const json = Buffer.from(data === undefined ? '' : JSON.stringify(data));
		return {start, end: json.length > extraLimit([{source}]) ? size : add(json)};
	});
	const requestAt = size;
	if (request) {
		const {body, ...head} = request;
		const isKept = hasBody && body.length <= extraLimit(mails);
		add(Buffer.from(`${JSON.stringify({...head, bodySize: body.length, isKept})}\n`));
		add(isKept ? body : Buffer.alloc(0));
	}

	return {
		pieces,
		parts: ranges.map((range): SourcePart => ({...range, requestAt})),
	};
}

/** Reads the request from the end of a source; `data` are the bytes behind one mail. Returns undefined if there is none. */
export function readRequest(bytes: Buffer, data: Buffer | undefined): StoredRequest | undefined {
	const end = bytes.indexOf('\n');
	if (end === -1) {
		return undefined;
	}

	const {isKept, ...head} = JSON.parse(bytes.toString('utf8', 0, end));
	const body = bytes.subarray(end + 1);
	const encoding = isUtf8(body) ? 'utf8' : 'base64';
	return {
		...head,
		encoding,
		body: isKept ? body.toString(encoding) : null,
		data: data ? JSON.parse(data.toString()) : null,
	};
}

function extraLimit(mails: ReadonlyArray<{readonly source: {readonly length: number}}>): number {
	return freeBytes + 2 * mails.reduce((sum, {source}) => sum + source.length, 0);
}

async function* chunksIn(pieces: ReadonlyArray<Buffer | HeldSource>): AsyncGenerator<Buffer> {
	for (const piece of pieces) {
		yield* chunksOf(Buffer.isBuffer(piece) ? piece : await piece.read());
	}
}

/** Small chunks of a buffer, so that other work gets a turn between them. */
export function chunksOf(bytes: Buffer): readonly Buffer[] {
	return Array.from({length: Math.ceil(bytes.length / chunkBytes)}, (_, index) =>
		bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
	);
}
