import {offsetOf, type Page} from '../../contract/page.js';
import {
	asksForContent,
	type ContentFilter,
	conditionsOf,
	explain,
	type MessageQuery,
	type SummaryFilter,
} from '../../domain/filter.js';
import type {Message} from '../../domain/message.js';
import type {Parser} from '../../mime/parser.js';
import type {MessageStore} from '../../store/store.js';
import type {Contents} from './contents.js';

/** How far the first look of a search goes back, in messages that pass all that needs no reading. */
export const maxCandidates = 1000;

/** Of how many messages it is said why they do not match. */
const maxExplained = 100;

const noLimit = Number.MAX_SAFE_INTEGER;

/** What the looks of one search share, so that no message is read twice in vain. It ends with the signal. */
export class SearchProgress {
	readonly signal: AbortSignal;
	readonly rejected = new Set<string>();
	/** Messages newer than this one are looked through, null being all of them; undefined before the first look. */
	start: string | null | undefined;

	constructor(signal = new AbortController().signal) {
		this.signal = signal;
	}
}

/** A message that does not match, and why, in sentences. */
export type Miss = {readonly message: Message; readonly reasons: readonly string[]};

/**
 * Looks for what only a whole mail tells, for an owner as the parser knows them. Mails are read one after the other, so
 * that a search takes its turns with all else that is read, and patterns are matched in the parser's threads.
 */
export class Search {
	readonly #messages: Pick<MessageStore, 'list'>;
	readonly #contents: Contents;
	readonly #parser: Parser;

	constructor(messages: Pick<MessageStore, 'list'>, contents: Contents, parser: Parser) {
		this.#messages = messages;
		this.#contents = contents;
		this.#parser = parser;
	}

	/** The page of what matches, newest first. Later looks with the same progress read only what came in between. */
	async find(
		owner: string,
		inboxId: string,
		filter: MessageQuery,
		page: Page,
		progress: SearchProgress,
	): Promise<readonly Message[]> {
		const end = offsetOf(page) + page.limit;
		const found: Message[] = [];
		for (const message of await this.#candidates(inboxId, filter, progress)) {
			if (progress.signal.aborted || found.length === end) {
				break;
			}

			if (!progress.rejected.has(message.id)) {
				const reasons = await this.#explainContent(owner, message, filter);
				if (reasons?.length === 0) {
					found.push(message);
				} else {
					progress.rejected.add(message.id);
				}
			}
		}

		return found.slice(offsetOf(page));
	}

	/**
	 * The newest messages that do not match, the nearest misses first. One that came too early is among them when
	 * nothing else is wrong with it.
	 */
	async misses(owner: string, inboxId: string, filter: MessageQuery, limit: number): Promise<readonly Miss[]> {
		const {after, since} = filter;
		const newest = {page: 1, limit: maxExplained};
		const rows = await this.#messages.list(inboxId, {}, newest);
		const inTime = new Set((await this.#messages.list(inboxId, {after, since}, newest)).map(({id}) => id));
		const conditions = conditionsOf(filter);
		const tooEarly = since === undefined ? 'It came earlier than asked for.' : `It came before ${since}.`;
		const misses: Miss[] = [];
		for (const message of rows) {
			const isEarly = !inTime.has(message.id);
			const content = (await this.#explainContent(owner, message, filter)) ?? [];
			const reasons = [...explain(conditions, message), ...content];
			if (isEarly && reasons.length === 0) {
				misses.push({message, reasons: [tooEarly]});
			} else if (!isEarly && reasons.length > 0) {
				misses.push({message, reasons});
			}
		}

		return misses.toSorted((one, other) => one.reasons.length - other.reasons.length).slice(0, limit);
	}

	async #candidates(inboxId: string, filter: SummaryFilter, progress: SearchProgress): Promise<readonly Message[]> {
		const isFirst = progress.start === undefined;
		const range = {...filter, after: progress.start ?? filter.after};
		const limit = isFirst ? maxCandidates + 1 : noLimit;
		const rows = await this.#messages.list(inboxId, range, {page: 1, limit});
		if (!isFirst) {
			return rows;
		}

		progress.start = rows[maxCandidates]?.id ?? null;
		return rows.slice(0, maxCandidates);
	}

	/** Undefined when the mail was deleted since. */
	async #explainContent(
		owner: string,
		{sourceId}: Message,
		filter: ContentFilter,
	): Promise<readonly string[] | undefined> {
		if (!asksForContent(filter)) {
			return [];
		}

		const content = await this.#contents.read(owner, sourceId);
		return content && this.#parser.explain(owner, content, filter);
	}
}
