import {
	asksForContent,
	type ContentFilter,
	checksOf,
	explain,
	type MessageFilter,
	type MessageQuery,
} from '../domain/filter.js';
import type {Message} from '../domain/message.js';
import {offsetOf, type Page} from '../domain/page.js';
import type {Parser} from '../mime/parser.js';
import type {MessageStore} from '../store/store.js';
import type {Contents} from './contents.js';

/** How far the first look of a search goes back, in messages that pass all that needs no reading. */
export const furthest = 1000;

/** Of how many messages it is said why they do not match. */
const mostExplained = 100;

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

export type SearchParts = {
	readonly messages: Pick<MessageStore, 'list'>;
	readonly contents: Contents;
	readonly parser: Parser;
};

/**
 * Looks for what only a whole mail tells. Mails are read one after the other, so that a search takes its turns with all
 * others who read mail, and patterns are matched in the parser's thread.
 */
export class Search {
	readonly #parts: SearchParts;

	constructor(parts: SearchParts) {
		this.#parts = parts;
	}

	/** The page of what matches, newest first. Later looks with the same progress read only what came in between. */
	async find(inboxId: string, filter: MessageQuery, page: Page, progress: SearchProgress): Promise<readonly Message[]> {
		const end = offsetOf(page) + page.limit;
		const found: Message[] = [];
		for (const message of await this.#candidates(inboxId, filter, progress)) {
			if (progress.signal.aborted || found.length === end) {
				break;
			}

			if (!progress.rejected.has(message.id)) {
				const reasons = await this.#explainContent(message, filter);
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
	async misses(inboxId: string, filter: MessageQuery, limit: number): Promise<readonly Miss[]> {
		const {after, since} = filter;
		const newest = {page: 1, limit: mostExplained};
		const rows = await this.#parts.messages.list(inboxId, {}, newest);
		const inTime = new Set((await this.#parts.messages.list(inboxId, {after, since}, newest)).map(({id}) => id));
		const checks = checksOf(filter);
		const tooEarly = since === undefined ? 'It came earlier than asked for.' : `It came before ${since}.`;
		const misses: Miss[] = [];
		for (const message of rows) {
			const isEarly = !inTime.has(message.id);
			const content = (await this.#explainContent(message, filter)) ?? [];
			const reasons = [...explain(checks, message), ...content];
			if (isEarly && reasons.length === 0) {
				misses.push({message, reasons: [tooEarly]});
			} else if (!isEarly && reasons.length > 0) {
				misses.push({message, reasons});
			}
		}

		return misses.toSorted((one, other) => one.reasons.length - other.reasons.length).slice(0, limit);
	}

	async #candidates(inboxId: string, filter: MessageFilter, progress: SearchProgress): Promise<readonly Message[]> {
		const isFirst = progress.start === undefined;
		const range = {...filter, after: progress.start ?? filter.after};
		const limit = isFirst ? furthest + 1 : noLimit;
		const rows = await this.#parts.messages.list(inboxId, range, {page: 1, limit});
		if (!isFirst) {
			return rows;
		}

		progress.start = rows[furthest]?.id ?? null;
		return rows.slice(0, furthest);
	}

	/** Undefined when the mail was deleted since. */
	async #explainContent({sourceId}: Message, filter: ContentFilter): Promise<readonly string[] | undefined> {
		if (!asksForContent(filter)) {
			return [];
		}

		const content = await this.#parts.contents.read(sourceId);
		return content && this.#parts.parser.explain(content, filter);
	}
}
