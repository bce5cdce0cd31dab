import type {PendingBounce} from '../domain/mail/bounce.js';

/** How many are asked for, of all owners and of each. */
export type BounceLimits = {readonly all: number; readonly ofOne: number};

/** Bounces that are to be sent. They are stored with the message they are for (`messages.add`), and go with it. */
export interface BounceStore {
	/**
	 * Those due at `now`, the longest due first. This process holds them until it finishes or releases them, or until the lease
	 * is over: no other process gets them meanwhile.
	 */
	lease(now: string, limits: BounceLimits): Promise<readonly PendingBounce[]>;
	/** Deletes one that this process holds. False when it holds it no longer, or it is gone. */
	finish(id: string): Promise<boolean>;
	/** Lets go of one, to be sent later. */
	release(id: string): Promise<void>;
	/** When the next one becomes due, later than `after`; undefined when none does. */
	nextDue(after: string): Promise<string | undefined>;
}
