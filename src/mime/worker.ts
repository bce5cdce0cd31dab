import {Readable} from 'node:stream';
import {parentPort} from 'node:worker_threads';
import type {FaultMatch} from '../contract/faults.js';
import {AppError, type FieldError} from '../domain/errors.js';
import type {Link} from '../domain/extract/links.js';
import {type MatchTexts, matchesRegexes} from '../domain/faults/match.js';
import {
	type ContentFilter,
	conditionsOf,
	contentConditionsOf,
	explain,
	holds,
	linksLike,
	type MatchableMessage,
	type NamedRegex,
	type Searched,
	type SummaryFilter,
} from '../domain/mail/filter.js';
import {parsePattern} from '../domain/mail/pattern.js';
import {htmlOf, readAttachment, readContent, readHeaders, readSummary} from './parse/content.js';
import {parseMail} from './parse/mail-parser.js';
import {UnreadableMail} from './parse/part-finder.js';
import {composeFromTemplate, type Filling, partProblem} from './templates/fill-template.js';

/** Entry point of the worker threads that parse mail and fill in templates, one task at a time. */

/** Tasks. Each takes an input, and some read the source of a mail. */
export const tasks = {
	summarize: (_input: undefined, source: Readable) => readSummary(source),
	readHeaders: (mail: Uint8Array) => readHeaders(Buffer.from(mail)),
	readContent: (_input: undefined, source: Readable) => readContent(source),
	readAttachment: (id: string, source: Readable): Promise<Uint8Array | undefined> => readAttachment(source, id),
	previewDocument: (_input: undefined, source: Readable) => previewDocument(source),
	linksLike: ({links, pattern}: {readonly links: readonly Link[]; readonly pattern: string}) =>
		linksLike(links, parsePattern(pattern)),
	explain: ({content, filter}: {readonly content: Searched; readonly filter: ContentFilter}) =>
		explain(contentConditionsOf(filter), content),
	explainMessages: ({
		messages,
		filter,
	}: {
		readonly messages: readonly MatchableMessage[];
		readonly filter: SummaryFilter;
	}) => {
		const conditions = conditionsOf(filter);
		return messages.map(message => explain(conditions, message));
	},
	fit: ({messages, filter}: {readonly messages: readonly MatchableMessage[]; readonly filter: SummaryFilter}) => {
		const conditions = conditionsOf(filter);
		return messages.map(message => holds(conditions, message));
	},
	fitMatches: ({matches, texts}: {readonly matches: readonly FaultMatch[]; readonly texts: MatchTexts}) =>
		matches.map(match => matchesRegexes(match, texts)),
	patternProblem,
	composeFromTemplate,
	partProblem: (template: Omit<Filling, 'data'>) => partProblem(template),
};

function patternProblem(patterns: readonly NamedRegex[]): FieldError | undefined {
	try {
		for (const {field, text} of patterns) {
			parsePattern(text, {field});
		}

		return undefined;
	} catch (error) {
		if (error instanceof AppError) {
			return error.details.errors?.[0];
		}

		throw error;
	}
}

export type TaskName = keyof typeof tasks;

export type TaskInput<Name extends TaskName> = Parameters<(typeof tasks)[Name]>[0];

export type TaskOutput<Name extends TaskName> = Awaited<ReturnType<(typeof tasks)[Name]>>;

/** Piece of a source in its own memory, so that it can be transferred to the thread. */
export type SourcePiece = {readonly bytes: Uint8Array<ArrayBuffer>; readonly isLast: boolean};

/** Task with the first piece of its source, if it has one. */
export type TaskRequest = {
	readonly kind: 'task';
	readonly name: TaskName;
	readonly input: unknown;
	readonly piece?: SourcePiece | undefined;
};

/** Messages to the worker: a task, then further pieces of its source on demand. */
type ToWorker = TaskRequest | {readonly kind: 'source'; readonly piece: SourcePiece | undefined};

/** Messages from the worker: `ready` once; then for each task requests for more of the source, and the result. */
export type FromWorker =
	| {readonly kind: 'ready'}
	| {readonly kind: 'more'}
	| {readonly kind: 'done'; readonly output: unknown}
	| {readonly kind: 'failed'; readonly reason: string};

let source = new Readable();

function send(message: FromWorker): void {
	parentPort?.postMessage(message);
}

/** Passes a piece of the source to the task; undefined for an empty source. */
function feed(piece: SourcePiece | undefined): void {
	source.push(piece?.bytes ?? null);
	if (piece?.isLast) {
		source.push(null);
	}
}

parentPort?.on('message', async (request: ToWorker) => {
	if (request.kind === 'source') {
		feed(request.piece);
		return;
	}

	source = new Readable({read: () => send({kind: 'more'})});
	feed(request.piece);
	try {
		const output = await tasks[request.name](request.input as never, source);
		source.destroy();
		send({kind: 'done', output});
	} catch (error) {
		send({kind: 'failed', reason: error instanceof UnreadableMail ? error.message : 'it cannot be parsed'});
	}
});

send({kind: 'ready'});

/** Maximum length of all inline images of a document, in characters: about the size of a mail. */
const maxImageLength = 32 * 1024 * 1024;

/** Inline image, with its data URL, which is created when the image is first used. */
type Image = {readonly type: string; readonly pieces: Buffer[]; address?: string};

/**
 * Returns the HTML of a mail as a document for a sandboxed frame. Inline images become data URLs as long as the limit
 * allows: the document cannot load anything.
 */
export async function previewDocument(source: Readable): Promise<Uint8Array> {
	const images = new Map<string, Image>();
	const {root} = await parseMail(source, ({cid, contentType}) => {
		const image: Image = {type: contentType, pieces: []};
		if (cid === undefined || !contentType.startsWith('image/')) {
			return () => {};
		}

		images.set(cid, image);
		return piece => image.pieces.push(piece);
	});
	const html = withImages(withoutConnections(htmlOf(root)), images);
	const [doctype = ''] = /^\s*<!doctype[^>]*>/i.exec(html) ?? [];
	return Buffer.from(`${doctype}<base target="_blank">${html.slice(doctype.length)}`);
}

/**
 * Disables elements for which browsers resolve or connect to hosts before they check the content security policy: this
 * would tell the sender that the mail was opened.
 */
function withoutConnections(html: string): string {
	return html
		.replace(/<link(?=[\s/>])/gi, '<meta')
		.replace(/<(\/?)(?=i?frame|object|embed|portal|fencedframe)/gi, '<$1x-');
}

function withImages(html: string, images: ReadonlyMap<string, Image>): string {
	let remaining = maxImageLength;
	return html.replace(/(["'(=]\s*)cid:([^"'\s)>]+)/gi, (reference, before: string, id: string) => {
		const image = images.get(decodeContentId(id));
		const address = image && addressOf(image);
		if (address === undefined || address.length > remaining) {
			return reference;
		}

		remaining -= address.length;
		return before + address;
	});
}

function addressOf(image: Image): string {
	const type = /^image\/[\w.+-]+$/.test(image.type) ? image.type : 'image/png';
	image.address ??= `data:${type};base64,${Buffer.concat(image.pieces).toString('base64')}`;
	return image.address;
}

/** Decodes a content id, which is percent-encoded in URLs (RFC 2392). */
function decodeContentId(id: string): string {
	try {
		return decodeURIComponent(id);
	} catch {
		return id;
	}
}
