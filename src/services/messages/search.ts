import {offsetOf, type Page} from '../../contract/page.js';
import {invalidField} from '../../domain/errors.js';
import {
	asksForContent,
	type ContentFilter,
	type MessageQuery,
	type NamedRegex,
	type Outline,
	regexesOf,
	type SummaryFilter,
	splitFilter,
} from '../../domain/filter.js';
import type {Message} from '../../domain/message.js';
import {readRegex} from '../../domain/pattern.js';
import {FairQueue} from '../../lib/fair-queue.js';
import type {Parser} from '../../mime/parser.js';
import type {MessageStore} from '../../store/store.js';
import type {Contents} from './contents.js';
import {maxCandidates, type SearchProgress} from './search-progress.js';

/** Of how many messages it is said why they do not match. */
const maxExplained = 100;

/** Mails that searches hold in memory at once; one of them for each owner. */
const maxHeldMails = 8;

/** Characters of summaries that are handed over to a thread at once, and on top of them for each message. */
const maxBatch = 256 * 1024;
const perMessage = 256;

const noLimit = Number.MAX_SAFE_INTEGER;

/** A message that does not match, and why, in sentences. */
export type Miss = {readonly message: Message; readonly reasons: readonly string[]};

/** Whether the store alone cannot tell what a filter asks for. */
export function needsSearch(filter: MessageQuery): boolean {
	return asksForContent(filter) || regexesOf(filter).length > 0;
}

/**
 * Looks for what takes long to tell, for an owner as the parser knows them: in whole mails, and with regular expressions.
 * Mails are read one after the other, and owners take turns at it; patterns are matched in the parser's threads.
 */
export class Search {
	readonly #messages: Pick<MessageStore, 'list'>;
	readonly #contents: Contents;
	readonly #parser: Parser;
	readonly #turns = new FairQueue(Array.from({length: maxHeldMails}, () => null));

	constructor(messages: Pick<MessageStore, 'list'>, contents: Contents, parser: Parser) {
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

	/** The page of what matches, newest first. Later looks with the same progress read only what came in between. */
	async find(
		owner: string,
		inboxId: string,
		filter: MessageQuery,
		page: Page,
		progress: SearchProgress,
	): Promise<readonly Message[]> {
		const {plain, regexes} = splitFilter(filter);
		const end = offsetOf(page) + page.limit;
		const isFirst = progress.start === undefined;
		const isContent = asksForContent(filter);
		const limit = isFirst && isContent && regexesOf(regexes).length === 0 ? maxCandidates + 1 : noLimit;
		const rows = await this.#messages.list(
			inboxId,
			{...plain, after: progress.start ?? filter.after},
			{page: 1, limit},
		);
		progress.start ??= null;
		const found: Message[] = [];
		let candidates = 0;
		for await (const message of this.#fitting(owner, rows, regexes, progress)) {
			if (isFirst && isContent && candidates++ === maxCandidates) {
				progress.start = message.id;
				break;
			}

			const reasons = await this.#explainContent(owner, message, filter, progress.signal);
			if (reasons?.length === 0) {
				found.push(message);
			} else {
				progress.rejected.add(message.id);
			}

			if (progress.signal.aborted || found.length === end) {
				break;
			}
		}

		if (found.length === 0) {
			progress.pass(rows);
		}

		return found.slice(offsetOf(page));
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
		const tooEarly = since === undefined ? 'It came earlier than asked for.' : `It came before ${since}.`;
		const misses: Miss[] = [];
		for await (const {message, reasons: told} of this.#explained(owner, rows, filter, signal)) {
			const isEarly = !inTime.has(message.id);
			const content = (await this.#explainContent(owner, message, filter, signal)) ?? [];
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
		const fault = regexes.length === 0 ? undefined : await this.#parser.patternFault(owner, regexes);
		if (fault) {
			throw invalidField(fault.field, fault.message);
		}
	}

	/** The messages that satisfy the regular expressions, of those not rejected before; the others are rejected. */
	async *#fitting(
		owner: string,
		rows: readonly Message[],
		regexes: SummaryFilter,
		{rejected, signal}: SearchProgress,
	): AsyncGenerator<Message> {
		const fresh = rows.filter(({id}) => !rejected.has(id));
		for await (const {message, reasons} of this.#explained(owner, fresh, regexes, signal)) {
			if (reasons.length === 0) {
				yield message;
			} else {
				rejected.add(message.id);
			}
		}
	}

	/** What a filter says against each message by its summary. Ends with the signal. */
	async *#explained(
		owner: string,
		rows: readonly Message[],
		filter: SummaryFilter,
		signal: AbortSignal,
	): AsyncGenerator<Miss> {
		const {q, subject, from, to, match} = filter;
		const asked = {q, subject, from, to, match};
		const isEmpty = [q, subject, from, to].every(text => text === undefined);
		for (const batch of batchesOf(rows)) {
			if (signal.aborted) {
				return;
			}

			const reasons = isEmpty ? [] : await this.#parser.explainOutlines(owner, batch.map(outlineOf), asked);
			for (const [index, message] of batch.entries()) {
				yield {message, reasons: reasons[index] ?? []};
			}
		}
	}

	/** Undefined when the mail was deleted since, or the signal aborted. */
	async #explainContent(
		owner: string,
		{sourceId}: Message,
		{contains, header, match}: ContentFilter,
		signal: AbortSignal,
	): Promise<readonly string[] | undefined> {
		if (!asksForContent({contains, header})) {
			return [];
		}

		return this.#turns.run(owner, async () => {
			const content = signal.aborted ? undefined : await this.#contents.read(owner, sourceId);
			return content && this.#parser.explain(owner, content, {contains, header, match});
		});
	}
}

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

	yield batch;
}

/** No more than what is looked at, since it is copied. */
function outlineOf({to, envelope, summary: {messageId, cc, replyTo, ...summary}}: Message): Outline {
	return {to, envelope: {from: envelope.from}, summary};
}
