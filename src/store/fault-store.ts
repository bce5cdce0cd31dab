import type {FaultStage, Page} from '../contract/constants.js';
import type {CountedFault, Fault, FaultCount, FaultHit} from '../domain/faults/fault.js';
import type {Rows} from './rows.js';

/** Of a step: what is to be kept, and what is handed on. */
export type CountStep<T> = (count: FaultCount) => {readonly count: FaultCount; readonly result: T};

/**
 * Faults of inboxes and (`inboxId` null) of the daemon. Counts and hits are not durable at once: a crash may take back the last
 * of them, and so may a full disk. All reads wait for those that are on their way.
 * What another process of the same store changes is known to `mayAct` and `of` a second later at most.
 */
export interface FaultStore {
	/** Throws `not_found` when its inbox is gone, and `too_many_faults` when there are `limit` of them already. */
	create(fault: Fault, limit: number): Promise<void>;
	get(id: string): Promise<CountedFault | undefined>;
	/** Oldest first. */
	list(inboxId: string | null): Promise<readonly CountedFault[]>;
	/** Deletes the fault with its counts; its hits stay with the inbox. */
	delete(id: string): Promise<boolean>;
	/** Resolves to how many there were. */
	deleteAll(inboxId: string | null): Promise<number>;
	/** Deletes the faults that are over at `now`, and resolves to them. */
	deleteExpired(now: string): Promise<readonly Fault[]>;
	/** When the next one expires; undefined when none does. */
	nextExpiry(): Promise<string | undefined>;
	/** Whether there may be a fault for this stage. It is asked at each command of a session and waits for nothing. */
	mayAct(stage: FaultStage): boolean;
	/** All, oldest first: the same array for as long as they stay the same. It waits for nothing, either. */
	of(inboxId: string | null): readonly Fault[];
	/**
	 * Takes a step with the count under a key (null where the fault has one count for all): no two steps start from the same
	 * count. Undefined when the fault is gone.
	 */
	count<T>(id: string, key: string | null, step: CountStep<T>): Promise<T | undefined>;
	/** Resolves once the hit is durable; false when its inbox is gone. */
	addHit(hit: FaultHit): Promise<boolean>;
	hit(id: string): Promise<FaultHit | undefined>;
	/** Newest first: those of a fault, which may be gone, or all of an inbox. */
	hits(of: {readonly faultId: string} | {readonly inboxId: string | null}, page: Page): Promise<Rows<FaultHit>>;
}
