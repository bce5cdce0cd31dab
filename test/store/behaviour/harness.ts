import type {Store} from '../../../src/store/store.js';

/** A store of its own for each test. */
export type Harness = {
	readonly store: Store;
	/** What the process would find that comes next; the store itself where there is no such thing. */
	next(): Promise<Store>;
};

export type CreateHarness = () => Promise<Harness>;
