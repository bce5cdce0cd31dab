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
	type MatchableMessage,
	type NamedRegex,
	type Searched,
	type SummaryFilter,
} from '../domain/mail/filter.js';
import {type Content, type Summary, unreadSummary} from '../domain/mail/message.js';
import {maxValueLength, tooLarge} from '../domain/mail/pattern.js';
import {hasHead, maxHeadBytes} from './parse/header-section.js';
import {cheapSummary} from './parse/summary.js';
import type {ComposedTemplate, Filling, PartProblem, TemplateMail} from './templates/fill-template.js';
import type {TaskInput, TaskName} from './worker.js';
import {TaskFailure, WorkerPool} from './worker-pool.js';

const unsearched = 'Searching the mail timed out.';

export type ParserOptions = {
	/** Deadline for parsing a whole mail. */
	readonly deadlineMs?: number;
	/** Deadline for parsing a header section. The work itself is limited; this is for busy machines. */
	readonly headDeadlineMs?: number;
	/** Deadline for a search in a mail. */
	readonly searchDeadlineMs?: number;
	/** Deadline for filling in a template and composing its mail. */
	readonly templateDeadlineMs?: number;
};

/** Parser of hostile mail, patterns and templates; see `createParser`. */
export type Parser = ReturnType<typeof createParser>;

/**
 * Creates a parser that works in threads, so that no mail can block the daemon. Its methods do not reject because of the content of a
 * mail: each has a deadline, and `warnings` report the parts that could not be parsed. Owners (users) take turns, so that the mail of
 * one does not delay others. Most header sections are cheap and parsed on the calling thread. The others have their own threads,
 * because SMTP clients wait for them. Threads start on first use.
 */
export function createParser(options: ParserOptions = {}) {
	const {deadlineMs = 10_000, headDeadlineMs = 10_000, searchDeadlineMs = 2000, templateDeadlineMs = 2000} = options;
	const heads = new WorkerPool({maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4});
	const mails = new WorkerPool({maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8});
	// Separate, so that templates do not delay those who wait for a mail. Few daemons use templates.
	const templates = new WorkerPool({maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8}, {idleMs: 10_000});
	const search = async <Name extends TaskName>(owner: string, name: Name, input: TaskInput<Name>) =>
		orUndefined(mails.run(owner, name, input, {deadlineMs: searchDeadlineMs}));

	const composeInThread = async (owner: string, mail: TemplateMail, deadlineMs: number): Promise<ComposedTemplate> => {
		try {
			const composed = await templates.run(owner, 'composeFromTemplate', mail, {deadlineMs});
			if ('problem' in composed) {
				return composed;
			}

			const {buffer, byteOffset, length} = composed.source;
			return {source: Buffer.from(buffer, byteOffset, length)};
		} catch (error) {
			return {problem: failureOf(error)};
		}
	};

	return {
		/** Starts the thread for whole mails in advance, so that the first wait does not pay for compiling the parser. */
		start(): void {
			const sample = Readable.from(['\r\nYour code is 482913: https://tinbox.test/verify'], {objectMode: false});
			mails.run('', 'readContent', undefined, {deadlineMs, source: sample}).catch(() => {});
		},
		/**
		 * Parses the header section of a mail. `open` is given if the mail continues after `head`. Returns `unreadSummary`
		 * if the worker fails or exceeds `headDeadlineMs`.
		 */
		async summarize(owner: string, head: Buffer, open?: () => Promise<Readable>): Promise<Summary> {
			const isCut = open !== undefined && !hasHead(head);
			const cheap = isCut ? undefined : cheapSummary(head);
			if (cheap) {
				return cheap;
			}

			const source = isCut ? await open() : Readable.from([head], {objectMode: false});
			const taskOptions = {deadlineMs: headDeadlineMs, source};
			return (await orUndefined(heads.run(owner, 'summarize', undefined, taskOptions))) ?? unreadSummary;
		},
		/** Parses a whole mail. */
		async read(owner: string, source: Readable): Promise<Content> {
			let head = Buffer.alloc(0);
			const watch = (piece: Uint8Array) => {
				if (head.length < maxHeadBytes) {
					head = Buffer.concat([head, piece]);
				}
			};
			try {
				return await mails.run(owner, 'readContent', undefined, {deadlineMs, source, watch});
			} catch (error) {
				if (!(error instanceof TaskFailure)) {
					throw error;
				}

				const warnings = [`Only the header section of the mail could be parsed: ${error.message}.`];
				const headers = (await orUndefined(heads.run(owner, 'readHeaders', head, {deadlineMs: headDeadlineMs}))) ?? [];
				return {headers, text: '', html: '', attachments: [], codes: [], links: [], warnings};
			}
		},
		/** Returns the decoded bytes of an attachment; undefined if there is none with this id. */
		async attachment(owner: string, source: Readable, id: string): Promise<Buffer | undefined> {
			const bytes = await orUndefined(mails.run(owner, 'readAttachment', id, {deadlineMs, source}));
			return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
		},
		/** Returns the HTML as a UTF-8 document for a sandbox; empty if the mail could not be parsed. */
		async document(owner: string, source: Readable): Promise<Uint8Array> {
			const html = await orUndefined(mails.run(owner, 'previewDocument', undefined, {deadlineMs, source}));
			return html ?? new Uint8Array();
		},
		/** Returns the links that match a valid pattern; none after a timeout. */
		async linksLike(owner: string, links: readonly Link[], pattern: string): Promise<readonly Link[]> {
			return (await search(owner, 'linksLike', {links, pattern})) ?? [];
		},
		/** Returns sentences that say why the content does not match a valid filter; none if it does. */
		async explain(owner: string, searched: Searched, filter: ContentFilter): Promise<readonly string[]> {
			const {text, html, headers, codes, links} = searched;
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
			return (await search(owner, 'explain', {content, filter})) ?? [unsearched];
		},
		/** Like `explain`, for each message. */
		async explainMessages(
			owner: string,
			messages: readonly MatchableMessage[],
			filter: SummaryFilter,
		): Promise<ReadonlyArray<readonly string[]>> {
			return (await search(owner, 'explainMessages', {messages, filter})) ?? messages.map(() => [unsearched]);
		},
		/** Tests a valid filter against each message; returns an empty list after a timeout. */
		async fit(
			owner: string,
			messages: readonly MatchableMessage[],
			filter: SummaryFilter,
		): Promise<readonly boolean[]> {
			return (await search(owner, 'fit', {messages, filter})) ?? [];
		},
		/** Tests texts against the valid regular expressions of each match; returns an empty list after a timeout. */
		async fitMatches(owner: string, matches: readonly FaultMatch[], texts: MatchTexts): Promise<readonly boolean[]> {
			return (await search(owner, 'fitMatches', {matches, texts})) ?? [];
		},
		/** Returns the problem of the first invalid regular expression; undefined if all are valid. */
		async patternProblem(owner: string, regexes: readonly NamedRegex[]): Promise<FieldError | undefined> {
			const late = {field: regexes[0]?.field ?? '', message: tooLarge};
			const problem = mails.run(owner, 'patternProblem', regexes, {deadlineMs: searchDeadlineMs});
			return problem.catch(error => (error instanceof TaskFailure ? late : Promise.reject(error)));
		},
		/** Fills in a template and composes the mail, or returns the problem. */
		composeFromTemplate: async (owner: string, mail: TemplateMail) => composeInThread(owner, mail, templateDeadlineMs),
		/** Composes a mail without a template, or returns the problem. */
		composeContent: async (owner: string, mail: Pick<TemplateMail, 'provider' | 'content'>) =>
			composeInThread(owner, {...mail, keepsSubject: true, texts: {}, data: {}}, deadlineMs),
		/** Returns the problem of the first invalid part of a template; undefined if all are valid. */
		async templateProblem(owner: string, template: Omit<Filling, 'data'>): Promise<PartProblem | undefined> {
			const problem = templates.run(owner, 'partProblem', template, {deadlineMs: templateDeadlineMs});
			return problem.catch(error => ({part: 'html', problem: failureOf(error)}));
		},
		async stop(): Promise<void> {
			await Promise.all([heads.stop(), mails.stop(), templates.stop()]);
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
