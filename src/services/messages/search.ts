import {offsetOf, type Page} from '../../contract/constants.js';
import type {User} from '../../domain/accounts/user.js';
import {invalidField} from '../../domain/errors.js';
import {
	type ContentFilter,
	conditionsOf,
	contentFilterOf,
	type MatchableMessage,
	type MessageQuery,
	type NamedRegex,
	regexesOf,
	type SummaryFilter,
	splitFilter,
	summaryFilterOf,
} from '../../domain/mail/filter.js';
import type {Message} from '../../domain/mail/message.js';
import {readRegex} from '../../domain/mail/pattern.js';
import {TimeSlicer} from '../../lib/queue/event-loop.js';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import type {Parser} from '../../mime/parser.js';
import type {InboxScope, MessageStore, Store} from '../../store/port.js';
import {type ScanResult, scan} from '../../store/rules/messages.js';
import type {Contents} from './contents.js';

/** Maximum number of mails that a search reads, among messages that match everything else. */
export const maxCandidates = 1000;

/** Maximum number of messages that near misses are searched in. */
const maxExplained = 100;

/** Maximum number of mails and batches of summaries that searches hold in memory; one per user. */
const maxHeld = 8;

type SearchedStore = Pick<MessageStore, 'list' | 'walk' | 'newest'>;

/** Lists messages that match a filter without regular expressions, newest first, in batches. */
type Walk = (filter: SummaryFilter) => AsyncIterable<readonly Message[]>;

/** Near miss: a message that does not match, and the reasons as sentences. */
export type NearMiss = {readonly message: Message; readonly reasons: readonly string[]};

/** True unless the filter only selects a range of the list. */
export function needsSearch(query: MessageQuery): boolean {
	return summaryFilterOf(query) !== undefined || contentFilterOf(query) !== undefined;
}

/**
 * Searches messages, also in their content and with regular expressions, which are matched in workers. Users take turns at both, and
 * so do the searches of one user.
 */
export class Search {
	readonly #messages: SearchedStore;
	readonly #contents: Contents;
	readonly #parser: Parser;
	readonly #queue = new FairQueue(maxHeld, 1);

	constructor(messages: SearchedStore, contents: Contents, parser: Parser) {
		this.#messages = messages;
		this.#contents = contents;
		this.#parser = parser;
	}

	/** Throws `invalid_input` for a regular expression that cannot be used. */
	async check(userId: string, filter: MessageQuery): Promise<void> {
		await this.#compile(userId, regexesOf(filter));
	}

	/** Throws `invalid_input` for a pattern that cannot be used. */
	async checkPattern(userId: string, text: string, field: string): Promise<void> {
		await this.#compile(userId, readRegex(text, field) ? [{field, text}] : []);
	}

	/**
	 * Page of matches, newest first. Calls with the same progress skip messages already rejected.
	 */
	async find(
		userId: string,
		inboxId: string,
		filter: MessageQuery,
		page: Page,
		progress: SearchProgress,
	): Promise<readonly Message[]> {
		if (!needsSearch(filter)) {
			return this.#messages.list(inboxId, filter, page);
		}

		// Read before the search: messages that arrive meanwhile are checked twice rather than never.
		const newest = await this.#messages.newest(inboxId);
		const {seen, signal} = progress;
		const limit = seen === undefined ? maxCandidates : Number.POSITIVE_INFINITY;
		const walk: Walk = plain => this.#messages.walk(inboxId, plain, seen);
		const {found, matches} = await this.findIn(walk, userId, filter, page, signal, limit);
		if (matches === 0) {
			progress.seen = newest;
		}

		return found;
	}

	/** Page of matches among these messages, and the number of matches seen. Reads at most `limit` mails. */
	async findIn(
		walk: Walk,
		userId: string,
		filter: MessageQuery,
		page: Page,
		signal: AbortSignal | undefined,
		limit = maxCandidates,
	): Promise<{readonly found: readonly Message[]; readonly matches: number}> {
		const content = contentFilterOf(filter);
		const last = content ? limit : Number.POSITIVE_INFINITY;
		const found: Message[] = [];
		let candidates = 0;
		let matches = 0;
		for await (const rows of this.#candidates(walk, userId, filter, signal)) {
			for (const message of rows) {
				if (candidates++ === last || found.length === page.limit) {
					break;
				}

				const reasons = await this.#explainContent(userId, message, content, signal);
				if (reasons?.length === 0 && matches++ >= offsetOf(page)) {
					found.push(message);
				}
			}

			if (candidates > last || found.length === page.limit) {
				break;
			}
		}

		return {found, matches};
	}

	/**
	 * Near misses among the newest messages, nearest first. A message before the requested range is one if it matches otherwise.
	 * Stops when the signal aborts.
	 */
	async misses(
		userId: string,
		inboxId: string,
		filter: MessageQuery,
		limit: number,
		signal: AbortSignal,
	): Promise<readonly NearMiss[]> {
		const {after, since} = filter;
		const newest = {page: 1, limit: maxExplained};
		const rows = await this.#messages.list(inboxId, {}, newest);
		const inTime = new Set((await this.#messages.list(inboxId, {after, since}, newest)).map(({id}) => id));
		const tooEarly =
			since === undefined ? 'It is not newer than the message given as "after".' : `It was received before ${since}.`;
		const misses: NearMiss[] = [];
		const contentFilter = contentFilterOf(filter);
		for await (const {message, reasons: summaryReasons} of this.#explained(userId, rows, filter, signal)) {
			const isEarly = !inTime.has(message.id);
			const content = (await this.#explainContent(userId, message, contentFilter, signal)) ?? [];
			const reasons = [...summaryReasons, ...content];
			if (isEarly && reasons.length === 0) {
				misses.push({message, reasons: [tooEarly]});
			} else if (!isEarly && reasons.length > 0) {
				misses.push({message, reasons});
			}
		}

		return misses.toSorted((one, other) => one.reasons.length - other.reasons.length).slice(0, limit);
	}

	async #compile(userId: string, regexes: readonly NamedRegex[]): Promise<void> {
		const problem = regexes.length === 0 ? undefined : await this.#parser.patternProblem(userId, regexes);
		if (problem) {
			throw invalidField(problem.field, problem.message);
		}
	}

	/** Messages that match everything but the content filter, in batches. Stops when the signal aborts. */
	async *#candidates(
		walk: Walk,
		userId: string,
		filter: MessageQuery,
		signal: AbortSignal | undefined,
	): AsyncGenerator<readonly Message[]> {
		const {plain, regexes} = splitFilter(filter);
		const hasRegexes = regexesOf(regexes).length > 0;
		for await (const rows of walk(plain)) {
			for (const batch of batchesOf(rows)) {
				yield hasRegexes ? await this.#matching(userId, batch, regexes, signal) : batch;
			}

			if (signal?.aborted) {
				return;
			}
		}
	}

	/** Messages that match the regular expressions; none once the signal aborted. */
	async #matching(
		userId: string,
		rows: readonly Message[],
		regexes: SummaryFilter,
		signal: AbortSignal | undefined,
	): Promise<readonly Message[]> {
		return this.#queue.run(userId, async () => {
			const fit = signal?.aborted ? [] : await this.#parser.fit(userId, rows.map(toMatchable), regexes);
			return rows.filter((_, index) => fit[index]);
		});
	}

	/** Reasons against each message by its summary. Stops when the signal aborts. */
	async *#explained(
		userId: string,
		rows: readonly Message[],
		filter: MessageQuery,
		signal: AbortSignal,
	): AsyncGenerator<NearMiss> {
		const summaryFilter = summaryFilterOf(filter);
		for (const batch of batchesOf(rows)) {
			if (signal.aborted) {
				return;
			}

			const reasons = summaryFilter
				? await this.#parser.explainMessages(userId, batch.map(toMatchable), summaryFilter)
				: [];
			for (const [index, message] of batch.entries()) {
				yield {message, reasons: reasons[index] ?? []};
			}
		}
	}

	/** Reasons against a message by its content; undefined if it was deleted, or if the signal aborted. */
	async #explainContent(
		userId: string,
		message: Message,
		filter: ContentFilter | undefined,
		signal: AbortSignal | undefined,
	): Promise<readonly string[] | undefined> {
		if (!filter) {
			return [];
		}

		return this.#queue.run(userId, async () => {
			const content = signal?.aborted ? undefined : await this.#contents.read(userId, message);
			return content && this.#parser.explain(userId, content, filter);
		});
	}
}

/** Batch size across inboxes: finding the next position in many inboxes costs more than reading few messages. */
const rowsAtOnce = 1000;

type AllMailStores = {
	readonly messages: Pick<Store['messages'], 'listAll'>;
	readonly teams: Pick<Store['teams'], 'listOf'>;
};

/** Mail of all inboxes visible to a user. */
export class AllMail {
	readonly #store: AllMailStores;
	readonly #search: Search;
	readonly #now: () => Date;
	readonly #slices = new TimeSlicer();

	constructor(store: AllMailStores, search: Search, now: () => Date) {
		this.#store = store;
		this.#search = search;
		this.#now = now;
	}

	/**
	 * The newest matches, in the order of `MessageStore.listAll`, as far back as a search goes. Stops when the signal aborts.
	 */
	async list(user: User, filter: MessageQuery, limit: number, signal: AbortSignal): Promise<readonly Message[]> {
		const teams = await this.#store.teams.listOf(user.id);
		const scope = {userId: user.id, teamIds: teams.map(({id}) => id)};
		const now = this.#now().toISOString();
		if (!needsSearch(filter)) {
			return this.#store.messages.listAll(scope, now, filter, limit);
		}

		const walk = (plain: SummaryFilter) => this.#walk(scope, now, plain);
		const {found} = await this.#search.findIn(walk, user.id, filter, {page: 1, limit}, signal);
		return found;
	}

	async *#walk(scope: InboxScope, now: string, filter: SummaryFilter): AsyncGenerator<readonly Message[]> {
		const conditions = conditionsOf(filter);
		let {before} = filter;
		for (let isLast = false; !isLast; ) {
			const rows = await this.#store.messages.listAll(scope, now, {...filter, before}, rowsAtOnce);
			before = rows.at(-1)?.id;
			isLast = rows.length < rowsAtOnce;
			const rest = rows.values();
			for (let step: ScanResult = {matches: [], isLast: false}; !step.isLast; ) {
				step = await this.#slices.run(scope.userId, scan(rest, conditions));
				yield step.matches;
			}
		}
	}
}

/** Maximum characters of a batch for a worker, and their overhead per message. */
const maxBatch = 256 * 1024;
const perMessage = 256;

/** Splits messages into batches for a worker. */
function* batchesOf(rows: readonly Message[]): Generator<readonly Message[]> {
	let batch: Message[] = [];
	let size = 0;
	for (const message of rows) {
		size += perMessage + message.summary.subject.length + message.summary.to.join().length;
		batch.push(message);
		if (size >= maxBatch) {
			yield batch;
			batch = [];
			size = 0;
		}
	}

	if (batch.length > 0) {
		yield batch;
	}
}

/** Only the fields that a worker compares, since they are copied. */
function toMatchable({
	to,
	envelope,
	session,
	summary: {messageId, cc, replyTo, ...summary},
}: Message): MatchableMessage {
	return {to, session, envelope, summary};
}

/** State that calls of one search share. */
export type SearchProgress = {
	/** Ends the search. */
	readonly signal?: AbortSignal;
	/** Position up to which no message matches; undefined before the first call. */
	seen?: number;
};
