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
 * Reads mail in a worker thread, so that no mail can hold up the daemon. Nothing here rejects because of what a mail
 * says: each call has a deadline, and what could not be read is left empty and said in `warnings`. The owner of a call is
 * the user for whose sake it is made: owners take turns, so that one user's mail never holds up another's.
 */
export interface Parser {
	/** Starts the thread that reads whole mails, so that the first of them need not wait for it. */
	start(): void;
	/**
	 * Reads the header section at the beginning of a mail, of which there is more behind `head` when `open` is given. One
	 * that takes longer than ten seconds is `unreadSummary`.
	 */
	summarize(owner: string, head: Buffer, open?: () => Promise<Readable>): Promise<Summary>;
	/** Reads a whole mail. */
	read(owner: string, source: Readable): Promise<Content>;
	/** The decoded bytes of one attachment, by its `id`; undefined when there is no such one. */
	attachment(owner: string, source: Readable, id: string): Promise<Buffer | undefined>;
	/** The HTML as a document for a sandbox, in UTF-8; empty when the mail could not be read. */
	document(owner: string, source: Readable): Promise<Uint8Array>;
	/** Of these links those that fit a valid pattern; none when that takes too long. */
	linksLike(owner: string, links: readonly Link[], pattern: string): Promise<readonly Link[]>;
	/** Why the content does not satisfy the filter, which is valid, in sentences; none when it does. */
	explain(owner: string, content: Searched, filter: ContentFilter): Promise<readonly string[]>;
	/** The same of what is known of messages, for each of them. */
	explainOutlines(
		owner: string,
		outlines: readonly Outline[],
		filter: SummaryFilter,
	): Promise<ReadonlyArray<readonly string[]>>;
	/** Whether the filter, which is valid, fits what is known of messages, for each of them; none when that takes too long. */
	fit(owner: string, outlines: readonly Outline[], filter: SummaryFilter): Promise<readonly boolean[]>;
	/** Whether texts fit the regular expressions, which are valid, of each of these; none when that takes too long. */
	fitMatches(owner: string, matches: readonly FaultMatch[], texts: MatchTexts): Promise<readonly boolean[]>;
	/** What is wrong with the first of these regular expressions that cannot be used; undefined when all can. */
	patternProblem(owner: string, regexes: readonly NamedRegex[]): Promise<FieldError | undefined>;
	/** Fills a template in, or says why that cannot be done. */
	fillTemplate(owner: string, filling: Filling): Promise<Filled>;
	/** What is wrong with the first part of a template that cannot be used; undefined when all can. */
	templateProblem(owner: string, template: Omit<Filling, 'data'>): Promise<PartProblem | undefined>;
	stop(): Promise<void>;
}

const unsearched = 'Searching the mail timed out.';

export type ParserOptions = {
	/** How long one whole mail may take to read. */
	readonly deadlineMs?: number;
	/** How long a header section may take to read: of its work there is a limit, this is for machines that are busy. */
	readonly headDeadlineMs?: number;
	/** How long a search in a mail may take. */
	readonly searchDeadlineMs?: number;
	/** How long a template may take to fill in. */
	readonly templateDeadlineMs?: number;
};

/**
 * The parser. Header sections that are cheap to read, as nearly all are, are read at once. The others have
 * threads of their own, since their senders wait for it while a whole mail takes its time. Threads start when first used.
 */
export function createParser(options: ParserOptions = {}): Parser {
	const {deadlineMs = 10_000, headDeadlineMs = 10_000, searchDeadlineMs = 2000, templateDeadlineMs = 2000} = options;
	const heads = new WorkerPool({maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4});
	const mails = new WorkerPool({maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8});

	async function readHeaders(owner: string, head: Buffer): Promise<readonly HeaderField[]> {
		return (await orNothing(heads.run(owner, 'readHeaders', head, {deadlineMs: headDeadlineMs}))) ?? [];
	}

	return {
		start() {
			// What reads a mail is compiled when first used: the first wait need not wait for it.
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
			const terms = {deadlineMs: headDeadlineMs, source};
			return (await orNothing(heads.run(owner, 'summarize', undefined, terms))) ?? unreadSummary;
		},
		async read(owner, source) {
			let head = Buffer.alloc(0);
			const watch = (piece: Uint8Array) => {
				if (head.length < maxHeadBytes) {
					head = Buffer.concat([head, piece]);
				}
			};
			try {
				const terms = {deadlineMs, source, watch};
				return await mails.run(owner, 'readContent', undefined, terms);
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
			const bytes = await orNothing(mails.run(owner, 'readAttachment', id, {deadlineMs, source}));
			return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
		},
		async document(owner, source) {
			return (
				(await orNothing(mails.run(owner, 'previewDocument', undefined, {deadlineMs, source}))) ?? new Uint8Array()
			);
		},
		async linksLike(owner, links, pattern) {
			const input = {links, pattern};
			return (await orNothing(mails.run(owner, 'linksLike', input, {deadlineMs: searchDeadlineMs}))) ?? [];
		},
		async explain(owner, {text, html, headers, codes, links}, filter) {
			if (!comparesContent(filter)) {
				return explain(contentConditionsOf(filter), {text, html, headers, codes, links});
			}

			// No more than what is looked at, since it is copied.
			const content: Searched = {
				text: filter.contains === undefined ? '' : text.slice(0, maxValueLength),
				html: filter.contains === undefined ? '' : html.slice(0, maxValueLength),
				headers: filter.header === undefined ? [] : headers,
				codes,
				links: filter.link === undefined && filter.has === undefined ? [] : links,
			};
			const sentences = await orNothing(mails.run(owner, 'explain', {content, filter}, {deadlineMs: searchDeadlineMs}));
			return sentences ?? [unsearched];
		},
		async explainOutlines(owner, outlines, filter) {
			const input = {outlines, filter};
			const reasons = await orNothing(mails.run(owner, 'explainOutlines', input, {deadlineMs: searchDeadlineMs}));
			return reasons ?? outlines.map(() => [unsearched]);
		},
		async fit(owner, outlines, filter) {
			const input = {outlines, filter};
			return (await orNothing(mails.run(owner, 'fit', input, {deadlineMs: searchDeadlineMs}))) ?? [];
		},
		async fitMatches(owner, matches, texts) {
			const input = {matches, texts};
			return (await orNothing(mails.run(owner, 'fitMatches', input, {deadlineMs: searchDeadlineMs}))) ?? [];
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

/** Why a task has no output, as a sentence about what it was to read. Throws what is no failure of a task. */
function failureOf(error: unknown): string {
	if (error instanceof TaskFailure) {
		return `It cannot be used: ${error.message}.`;
	}

	throw error;
}

/** Takes the failure of a task for an output that is not there. */
async function orNothing<Output>(output: Promise<Output>): Promise<Output | undefined> {
	return output.catch(error => {
		if (error instanceof TaskFailure) {
			return undefined;
		}

		throw error;
	});
}
