import {offsetOf, type Page} from '../../contract/constants.js';
import type {User} from '../../domain/accounts/user.js';
import {invalidField} from '../../domain/errors.js';
import {
	type ContentFilter,
	conditionsOf,
	contentFilterOf,
	type MessageQuery,
	type NamedRegex,
	type Outline,
	outlineFilterOf,
	regexesOf,
	type SummaryFilter,
	splitFilter,
} from '../../domain/mail/filter.js';
import type {Message} from '../../domain/mail/message.js';
import {readRegex} from '../../domain/mail/pattern.js';
import {TimeSlicer} from '../../lib/queue/event-loop.js';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import type {Parser} from '../../mime/parser.js';
import type {InboxScope, MessageStore, Store} from '../../store/port.js';
import {type ScanResult, scan} from '../../store/rules/messages.js';
import type {Contents} from './contents.js';

/** How far the first look of a search goes back, in messages that pass all that needs no reading. */
export const maxCandidates = 1000;

/** Of how many messages it is said why they do not match. */
const maxExplained = 100;

/** Mails and batches of summaries that searches hold in memory at once; one of them for each owner. */
const maxHeld = 8;

type SearchedStore = Pick<MessageStore, 'list' | 'walk' | 'newest'>;

/** Messages, newest first, a few at a time, that fit a filter without regular expressions. */
type Walk = (filter: SummaryFilter) => AsyncIterable<readonly Message[]>;

/** A message that does not match, and why, in sentences. */
export type Miss = {readonly message: Message; readonly reasons: readonly string[]};

/** Whether a filter asks for more than a part of the order in which messages came. */
export function needsSearch(query: MessageQuery): boolean {
	return outlineFilterOf(query) !== undefined || contentFilterOf(query) !== undefined;
}

/**
 * Looks for messages, for an owner as the parser knows them; also for what takes long to tell: in whole mails, and with
 * regular expressions, which are matched in the parser's threads. Owners take turns at both, and so do the searches of one.
 */
export class Search {
	readonly #messages: SearchedStore;
	readonly #contents: Contents;
	readonly #parser: Parser;
	readonly #turns = new FairQueue(maxHeld, 1);

	constructor(messages: SearchedStore, contents: Contents, parser: Parser) {
		this.#messages = messages;
		this.#contents = contents;
		this.#parser = parser;
	}

	/** Throws `invalid_input` naming the text of a filter that cannot be used. */
	async check(owner: string, filter: MessageQuery): Promise<void> {
		await this.#compile(owner, regexesOf(filter));
	}

	/** The same of one pattern. */
	async checkPattern(owner: string, text: string, field: string): Promise<void> {
		await this.#compile(owner, readRegex(text, field) ? [{field, text}] : []);
	}

	/**
	 * The page of what matches, newest first. Looks with the same progress go no further back than to what was looked
	 * through in vain.
	 */
	async find(
		owner: string,
		inboxId: string,
		filter: MessageQuery,
		page: Page,
		progress: SearchProgress,
	): Promise<readonly Message[]> {
		if (!needsSearch(filter)) {
			return this.#messages.list(inboxId, filter, page);
		}

		// Before the look: what comes meanwhile is looked at twice rather than never.
		const newest = await this.#messages.newest(inboxId);
		const {seen, signal} = progress;
		const limit = seen === undefined ? maxCandidates : Number.POSITIVE_INFINITY;
		const walk: Walk = plain => this.#messages.walk(inboxId, plain, seen);
		const {found, matches} = await this.findIn(walk, owner, filter, page, signal, limit);
		if (matches === 0) {
			progress.seen = newest;
		}

		return found;
	}

	/** The page of what matches among these messages, and how many matches were seen; looks into so many mails at most. */
	async findIn(
		walk: Walk,
		owner: string,
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
		for await (const rows of this.#candidates(walk, owner, filter, signal)) {
			for (const message of rows) {
				if (candidates++ === last || found.length === page.limit) {
					break;
				}

				const reasons = await this.#explainContent(owner, message, content, signal);
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
	 * The newest messages that do not match, the nearest misses first. One that came too early is among them when
	 * nothing else is wrong with it. Ends with the signal.
	 */
	async misses(
		owner: string,
		inboxId: string,
		filter: MessageQuery,
		limit: number,
		signal: AbortSignal,
	): Promise<readonly Miss[]> {
		const {after, since} = filter;
		const newest = {page: 1, limit: maxExplained};
		const rows = await this.#messages.list(inboxId, {}, newest);
		const inTime = new Set((await this.#messages.list(inboxId, {after, since}, newest)).map(({id}) => id));
		const tooEarly =
			since === undefined ? 'It is not newer than the message given as "after".' : `It was received before ${since}.`;
		const misses: Miss[] = [];
		const asked = contentFilterOf(filter);
		for await (const {message, reasons: told} of this.#explained(owner, rows, filter, signal)) {
			const isEarly = !inTime.has(message.id);
			const content = (await this.#explainContent(owner, message, asked, signal)) ?? [];
			const reasons = [...told, ...content];
			if (isEarly && reasons.length === 0) {
				misses.push({message, reasons: [tooEarly]});
			} else if (!isEarly && reasons.length > 0) {
				misses.push({message, reasons});
			}
		}

		return misses.toSorted((one, other) => one.reasons.length - other.reasons.length).slice(0, limit);
	}

	async #compile(owner: string, regexes: readonly NamedRegex[]): Promise<void> {
		const problem = regexes.length === 0 ? undefined : await this.#parser.patternProblem(owner, regexes);
		if (problem) {
			throw invalidField(problem.field, problem.message);
		}
	}

	/** The messages of which nothing is left to be asked but their content, some at a time. Ends with the signal. */
	async *#candidates(
		walk: Walk,
		owner: string,
		filter: MessageQuery,
		signal: AbortSignal | undefined,
	): AsyncGenerator<readonly Message[]> {
		const {plain, regexes} = splitFilter(filter);
		const hasRegexes = regexesOf(regexes).length > 0;
		for await (const rows of walk(plain)) {
			for (const batch of batchesOf(rows)) {
				yield hasRegexes ? await this.#fitting(owner, batch, regexes, signal) : batch;
			}

			if (signal?.aborted) {
				return;
			}
		}
	}

	/** None once the signal aborted. */
	async #fitting(
		owner: string,
		rows: readonly Message[],
		regexes: SummaryFilter,
		signal: AbortSignal | undefined,
	): Promise<readonly Message[]> {
		return this.#turns.run(owner, async () => {
			const fit = signal?.aborted ? [] : await this.#parser.fit(owner, rows.map(outlineOf), regexes);
			return rows.filter((_, index) => fit[index]);
		});
	}

	/** What a filter says against each message by its summary. Ends with the signal. */
	async *#explained(
		owner: string,
		rows: readonly Message[],
		filter: MessageQuery,
		signal: AbortSignal,
	): AsyncGenerator<Miss> {
		const asked = outlineFilterOf(filter);
		for (const batch of batchesOf(rows)) {
			if (signal.aborted) {
				return;
			}

			const reasons = asked ? await this.#parser.explainOutlines(owner, batch.map(outlineOf), asked) : [];
			for (const [index, message] of batch.entries()) {
				yield {message, reasons: reasons[index] ?? []};
			}
		}
	}

	/** Undefined when the mail was deleted since, or the signal aborted. */
	async #explainContent(
		owner: string,
		message: Message,
		filter: ContentFilter | undefined,
		signal: AbortSignal | undefined,
	): Promise<readonly string[] | undefined> {
		if (!filter) {
			return [];
		}

		return this.#turns.run(owner, async () => {
			const content = signal?.aborted ? undefined : await this.#contents.read(owner, message);
			return content && this.#parser.explain(owner, content, filter);
		});
	}
}

/** How many messages a search reads at once: to find where to go on in many inboxes costs more than to read few. */
const rowsAtOnce = 1000;

type AllMailStores = {
	readonly messages: Pick<Store['messages'], 'listAll'>;
	readonly teams: Pick<Store['teams'], 'listOf'>;
};

/** The mail of all inboxes that a user sees. */
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
	 * The newest that match, in the order of `MessageStore.listAll`; of what asks for content, as far back as a search goes. Ends with
	 * the signal.
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

/** Characters of summaries that are handed over to a thread at once, and on top of them for each message. */
const maxBatch = 256 * 1024;
const perMessage = 256;

/** The messages, as many at a time as are handed over at once. */
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

/** No more of a message than what is looked at, since it is copied. */
function outlineOf({to, envelope, session, summary: {messageId, cc, replyTo, ...summary}}: Message): Outline {
	return {to, session, envelope, summary};
}

/** What the looks of one search share. */
export type SearchProgress = {
	/** Ends it. */
	readonly signal?: AbortSignal;
	/** All that came before this place, which the store told, was looked at in vain; undefined before the first look. */
	seen?: number;
};
