import type {Readable} from 'node:stream';
import type {ContentFilter, Searched} from '../domain/filter.js';
import type {Bodies, Content, Findings, Summary} from '../domain/message.js';

/**
 * Reads mail in a worker thread, so that no mail can hold up the daemon. Nothing here rejects because of what a mail
 * says: each call has a deadline, and what could not be read is left empty and said in `warnings`.
 */
export interface Parser {
	/** Reads the header section at the beginning of each source. */
	summarize(heads: readonly Buffer[]): Promise<readonly Summary[]>;
	/** Reads headers, bodies and the list of attachments. */
	read(source: Readable): Promise<Content>;
	/** The decoded bytes of one attachment, by its `id`; undefined when there is no such one. */
	attachment(source: Readable, id: string): Promise<Buffer | undefined>;
	/**
	 * The codes and links that a reader would act on; none when the search runs past its deadline. With `link`, a valid
	 * pattern, only the links that fit it.
	 */
	find(bodies: Bodies, link?: string): Promise<Findings>;
	/** Why the content does not satisfy the filter, which is valid, in sentences; none when it does. */
	explain(content: Searched, filter: ContentFilter): Promise<readonly string[]>;
	stop(): Promise<void>;
}
