/** Entry point of the worker threads that parse mail and fill in templates, one task at a time. */
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
	type NamedRegex,
	type Outline,
	type Searched,
	type SummaryFilter,
} from '../domain/mail/filter.js';
import {parsePattern} from '../domain/mail/pattern.js';
import {readAttachment, readContent, readHeaders, readSummary} from './parse/content.js';
import {UnreadableMail} from './parse/part-finder.js';
import {previewDocument} from './parse/preview.js';
import {type Filling, fillTemplate, partProblem} from './templates/fill-template.js';

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
	explainOutlines: ({outlines, filter}: {readonly outlines: readonly Outline[]; readonly filter: SummaryFilter}) => {
		const conditions = conditionsOf(filter);
		return outlines.map(outline => explain(conditions, outline));
	},
	fit: ({outlines, filter}: {readonly outlines: readonly Outline[]; readonly filter: SummaryFilter}) => {
		const conditions = conditionsOf(filter);
		return outlines.map(outline => holds(conditions, outline));
	},
	fitMatches: ({matches, texts}: {readonly matches: readonly FaultMatch[]; readonly texts: MatchTexts}) =>
		matches.map(match => matchesRegexes(match, texts)),
	patternProblem,
	fillTemplate,
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
export type ToWorker = TaskRequest | {readonly kind: 'source'; readonly piece: SourcePiece | undefined};

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
