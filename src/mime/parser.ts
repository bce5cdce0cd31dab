import {Readable} from 'node:stream';
import type {FaultMatch} from '../contract/faults.js';
import type {FieldError} from '../domain/errors.js';
import type {Link} from '../domain/extract/links.js';
import type {MatchTexts} from '../domain/faults/match.js';
import {
	type ContentFilter,
	comparesContent,
	contentConditionsOf,
	explain,
	type NamedRegex,
	type Outline,
	type Searched,
	type SummaryFilter,
} from '../domain/mail/filter.js';
import {type Content, type HeaderField, type Summary, unreadSummary} from '../domain/mail/message.js';
import {maxValueLength, tooLarge} from '../domain/mail/pattern.js';
import {hasHead, maxHeadBytes} from './parse/header-section.js';
import {cheapSummary} from './parse/summary.js';
import type {Filled, Filling, PartProblem} from './templates/fill-template.js';
import {TaskFailure, WorkerPool} from './worker-pool.js';

/**
 * Parses mail in worker threads, so that no mail can block the daemon. Calls do not reject because of the content of a
 * mail: each has a deadline, and `warnings` report the parts that could not be parsed. Owners (users) take turns, so that
 * the mail of one does not delay others.
 */
export interface Parser {
	/** Starts the thread for whole mails in advance. */
	start(): void;
	/**
	 * Parses the header section of a mail. `open` is given if the mail continues after `head`. Returns `unreadSummary`
	 * after ten seconds.
	 */
	summarize(owner: string, head: Buffer, open?: () => Promise<Readable>): Promise<Summary>;
	/** Parses a whole mail. */
	read(owner: string, source: Readable): Promise<Content>;
	/** Returns the decoded bytes of an attachment; undefined if there is none with this id. */
	attachment(owner: string, source: Readable, id: string): Promise<Buffer | undefined>;
	/** Returns the HTML as a UTF-8 document for a sandbox; empty if the mail could not be parsed. */
	document(owner: string, source: Readable): Promise<Uint8Array>;
	/** Returns the links that match a valid pattern; none after a timeout. */
	linksLike(owner: string, links: readonly Link[], pattern: string): Promise<readonly Link[]>;
	/** Returns sentences that say why the content does not match a valid filter; none if it does. */
	explain(owner: string, content: Searched, filter: ContentFilter): Promise<readonly string[]>;
	/** Like `explain`, for the outline of each message. */
	explainOutlines(
		owner: string,
		outlines: readonly Outline[],
		filter: SummaryFilter,
	): Promise<ReadonlyArray<readonly string[]>>;
	/** Tests a valid filter against the outline of each message; returns an empty list after a timeout. */
	fit(owner: string, outlines: readonly Outline[], filter: SummaryFilter): Promise<readonly boolean[]>;
	/** Tests texts against the valid regular expressions of each match; returns an empty list after a timeout. */
	fitMatches(owner: string, matches: readonly FaultMatch[], texts: MatchTexts): Promise<readonly boolean[]>;
	/** Returns the problem of the first invalid regular expression; undefined if all are valid. */
	patternProblem(owner: string, regexes: readonly NamedRegex[]): Promise<FieldError | undefined>;
	/** Fills in a template, or returns the problem. */
	fillTemplate(owner: string, filling: Filling): Promise<Filled>;
	/** Returns the problem of the first invalid part of a template; undefined if all are valid. */
	templateProblem(owner: string, template: Omit<Filling, 'data'>): Promise<PartProblem | undefined>;
	stop(): Promise<void>;
}

const unsearched = 'Searching the mail timed out.';

export type ParserOptions = {
	/** Deadline for parsing a whole mail. */
	readonly deadlineMs?: number;
	/** Deadline for parsing a header section. The work itself is limited; this is for busy machines. */
	readonly headDeadlineMs?: number;
	/** Deadline for a search in a mail. */
	readonly searchDeadlineMs?: number;
	/** Deadline for filling in a template. */
	readonly templateDeadlineMs?: number;
};

/**
 * Creates a parser. Most header sections are cheap and parsed on the calling thread. The others have their own threads,
 * because SMTP clients wait for them. Threads start on first use.
 */
export function createParser(options: ParserOptions = {}): Parser {
	const {deadlineMs = 10_000, headDeadlineMs = 10_000, searchDeadlineMs = 2000, templateDeadlineMs = 2000} = options;
	const heads = new WorkerPool({maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4});
	const mails = new WorkerPool({maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8});

	async function readHeaders(owner: string, head: Buffer): Promise<readonly HeaderField[]> {
		return (await orUndefined(heads.run(owner, 'readHeaders', head, {deadlineMs: headDeadlineMs}))) ?? [];
	}

	return {
		start() {
			// Compiles the parser in advance, so that the first wait does not pay for it.
			const sample = Readable.from(['\r\nYour code is 482913: https://tinbox.test/verify'], {objectMode: false});
			mails.run('', 'readContent', undefined, {deadlineMs, source: sample}).catch(() => {});
		},
		async summarize(owner, head, open) {
			const isCut = open !== undefined && !hasHead(head);
			const cheap = isCut ? undefined : cheapSummary(head);
			if (cheap) {
				return cheap;
			}

			const source = isCut ? await open() : Readable.from([head], {objectMode: false});
			const taskOptions = {deadlineMs: headDeadlineMs, source};
			return (await orUndefined(heads.run(owner, 'summarize', undefined, taskOptions))) ?? unreadSummary;
		},
		async read(owner, source) {
			let head = Buffer.alloc(0);
			const watch = (piece: Uint8Array) => {
				if (head.length < maxHeadBytes) {
					head = Buffer.concat([head, piece]);
				}
			};
			try {
				const taskOptions = {deadlineMs, source, watch};
				return await mails.run(owner, 'readContent', undefined, taskOptions);
			} catch (error) {
				if (!(error instanceof TaskFailure)) {
					throw error;
				}

				const warnings = [`Only the header section of the mail could be parsed: ${error.message}.`];
				const headers = await readHeaders(owner, head);
				return {headers, text: '', html: '', attachments: [], codes: [], links: [], warnings};
			}
		},
		async attachment(owner, source, id) {
			const bytes = await orUndefined(mails.run(owner, 'readAttachment', id, {deadlineMs, source}));
			return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
		},
		async document(owner, source) {
			return (
				(await orUndefined(mails.run(owner, 'previewDocument', undefined, {deadlineMs, source}))) ?? new Uint8Array()
			);
		},
		async linksLike(owner, links, pattern) {
			const input = {links, pattern};
			return (await orUndefined(mails.run(owner, 'linksLike', input, {deadlineMs: searchDeadlineMs}))) ?? [];
		},
		async explain(owner, {text, html, headers, codes, links}, filter) {
			if (!comparesContent(filter)) {
				return explain(contentConditionsOf(filter), {text, html, headers, codes, links});
			}

			// Only the searched part, because it is copied to the worker.
			const content: Searched = {
				text: filter.contains === undefined ? '' : text.slice(0, maxValueLength),
				html: filter.contains === undefined ? '' : html.slice(0, maxValueLength),
				headers: filter.header === undefined ? [] : headers,
				codes,
				links: filter.link === undefined && filter.has === undefined ? [] : links,
			};
			const sentences = await orUndefined(
				mails.run(owner, 'explain', {content, filter}, {deadlineMs: searchDeadlineMs}),
			);
			return sentences ?? [unsearched];
		},
		async explainOutlines(owner, outlines, filter) {
			const input = {outlines, filter};
			const reasons = await orUndefined(mails.run(owner, 'explainOutlines', input, {deadlineMs: searchDeadlineMs}));
			return reasons ?? outlines.map(() => [unsearched]);
		},
		async fit(owner, outlines, filter) {
			const input = {outlines, filter};
			return (await orUndefined(mails.run(owner, 'fit', input, {deadlineMs: searchDeadlineMs}))) ?? [];
		},
		async fitMatches(owner, matches, texts) {
			const input = {matches, texts};
			return (await orUndefined(mails.run(owner, 'fitMatches', input, {deadlineMs: searchDeadlineMs}))) ?? [];
		},
		async patternProblem(owner, regexes) {
			const late = {field: regexes[0]?.field ?? '', message: tooLarge};
			const problem = mails.run(owner, 'patternProblem', regexes, {deadlineMs: searchDeadlineMs});
			return problem.catch(error => (error instanceof TaskFailure ? late : Promise.reject(error)));
		},
		async fillTemplate(owner, filling) {
			const filled = mails.run(owner, 'fillTemplate', filling, {deadlineMs: templateDeadlineMs});
			return filled.catch(error => ({problem: failureOf(error)}));
		},
		async templateProblem(owner, template) {
			const problem = mails.run(owner, 'partProblem', template, {deadlineMs: templateDeadlineMs});
			return problem.catch(error => ({part: 'html', problem: failureOf(error)}));
		},
		async stop() {
			await Promise.all([heads.stop(), mails.stop()]);
		},
	};
}

/** Describes the failure of a task. Rethrows other errors. */
function failureOf(error: unknown): string {
	if (error instanceof TaskFailure) {
		return `It cannot be used: ${error.message}.`;
	}

	throw error;
}

/** Converts the failure of a task to undefined. */
async function orUndefined<Output>(output: Promise<Output>): Promise<Output | undefined> {
	return output.catch(error => {
		if (error instanceof TaskFailure) {
			return undefined;
		}

		throw error;
	});
}
