import type {PendingBounce} from '../domain/bounce.js';

/** How many are asked for, of all owners and of each. */
export type BounceLimits = {readonly all: number; readonly ofOne: number};

/** Bounces that are to be sent. They are stored with the message they are for (`messages.add`), and go with it. */
export interface BounceStore {
	/** Those due at `now`, the longest due first. */
	due(now: string, limits: BounceLimits): Promise<readonly PendingBounce[]>;
	/** When the next one becomes due, later than `after`; undefined when none does. */
	nextDue(after: string): Promise<string | undefined>;
	delete(id: string): Promise<boolean>;
}
