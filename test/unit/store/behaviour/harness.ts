import type {Keeping} from '../../../../src/domain/mail/inbox.js';
import type {Store} from '../../../../src/store/port.js';

/** A store of its own for each test. */
export type Harness = {
	readonly store: Store;
	/** Another node on the same data, where there is one. */
	readonly other?: Store;
	/**
	 * Begins to count, where looks may come too late to tell, how many rows each commit takes away, or changes among inboxes.
	 * Resolves to what tells of the largest.
	 */
	readonly countSteps?: () => Promise<() => Promise<number>>;
	/** What the process would find that comes next; the store itself where there is no such thing. */
	next(): Promise<Store>;
};

/** `keeping`: what inboxes keep that say nothing themselves. */
export type CreateHarness = (options?: {readonly keeping?: Keeping}) => Promise<Harness>;
