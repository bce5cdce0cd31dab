import type {Retention} from '../../../../src/domain/mail/inbox.js';
import type {Store} from '../../../../src/store/port.js';

/** The store of one test. */
export type Harness = {
	readonly store: Store;
	/** Another node with the same data, if the implementation supports it. */
	readonly other?: Store;
	/** Starts to count the rows that each commit deletes or changes. Resolves to a function that returns the largest number. */
	readonly countSteps?: () => Promise<() => Promise<number>>;
	/** The store as the next process opens it; the same store if the implementation has no next process. */
	next(): Promise<Store>;
};

/** `retention`: retention of inboxes without their own. */
export type CreateHarness = (options?: {readonly retention?: Retention}) => Promise<Harness>;
