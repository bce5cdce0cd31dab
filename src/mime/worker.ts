/** The worker thread in which all mail is read, and templates are filled in, one task after another. */
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

/** What the thread can be asked for: an input each, and the source of a mail for those that read one. */
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

/** A piece of a source, in memory of its own, so that it can be given away to the thread. */
export type SourcePiece = {readonly bytes: Uint8Array<ArrayBuffer>; readonly isLast: boolean};

/** A task, with the first piece of its source if it has one. */
export type TaskRequest = {
	readonly kind: 'task';
	readonly name: TaskName;
	readonly input: unknown;
	readonly piece?: SourcePiece | undefined;
};

/** First a task, then the other pieces of its source as the worker asks for them. */
export type ToWorker = TaskRequest | {readonly kind: 'source'; readonly piece: SourcePiece | undefined};

/** Once that the worker is ready; then, for each task, that it wants more of the source, or what came of it. */
export type FromWorker =
	| {readonly kind: 'ready'}
	| {readonly kind: 'more'}
	| {readonly kind: 'done'; readonly output: unknown}
	| {readonly kind: 'failed'; readonly reason: string};

let source = new Readable();

function say(message: FromWorker): void {
	parentPort?.postMessage(message);
}

/** Hands the task another piece of its source; undefined when there is none. */
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

	source = new Readable({read: () => say({kind: 'more'})});
	feed(request.piece);
	try {
		const output = await tasks[request.name](request.input as never, source);
		source.destroy();
		say({kind: 'done', output});
	} catch (error) {
		say({kind: 'failed', reason: error instanceof UnreadableMail ? error.message : 'it cannot be parsed'});
	}
});

say({kind: 'ready'});
