import type {Routing} from '../../contract/constants.js';

export type Inbox = {
	readonly id: string;
	readonly ownerId: string;
	readonly teamId: string | null;
	/** What the inbox claims, in lower case and else as it was typed: an exact address, `*@domain`, or `*`. */
	readonly address: string;
	readonly name: string | null;
	readonly createdAt: string;
	/** When the inbox goes, with its mail; null when never. */
	readonly expiresAt: string | null;
	/** Absent in what older versions stored: `login`. */
	readonly routing?: Routing;
	/** How often its credentials were rotated; absent is 0. */
	readonly generation?: number;
	/** What comes back by itself for each mail, if anything does. */
	readonly bounce?: {readonly status: string; readonly delayMs: number} | null;
	/** Whether its addresses do what those of the simulator of Amazon SES do. */
	readonly simulator?: boolean;
	/** How many messages it keeps: the newest. 0 is all, null or absent as many as the daemon does by default. */
	readonly keep?: number | null;
	/** How long it keeps each, with 0 for ever, and null or absent as for `keep`. */
	readonly keepForMs?: number | null;
};

/** What can be changed of an inbox. */
export type InboxPatch = Partial<
	Pick<Inbox, 'name' | 'teamId' | 'routing' | 'bounce' | 'simulator' | 'keep' | 'keepForMs'>
>;

/** Whether the time is over of an inbox, or of what can expire as one. */
export function isExpired({expiresAt}: Pick<Inbox, 'expiresAt'>, now: Date): boolean {
	return expiresAt !== null && expiresAt <= now.toISOString();
}

/** How much an inbox keeps: so many messages, the newest, and each for so long; null is no bound. */
export type Keeping = {readonly keep: number | null; readonly keepForMs: number | null};

/** Nothing goes by itself. */
export const keepsAll: Keeping = {keep: null, keepForMs: null};

/** What holds for an inbox; `byDefault` for what it does not say itself. */
export function keepingOf(inbox: Pick<Inbox, 'keep' | 'keepForMs'>, byDefault: Keeping): Keeping {
	return {keep: boundOf(inbox.keep, byDefault.keep), keepForMs: boundOf(inbox.keepForMs, byDefault.keepForMs)};
}

/** Whether a patch of an inbox is about what it keeps. */
export function changesKeeping({keep, keepForMs}: InboxPatch): boolean {
	return keep !== undefined || keepForMs !== undefined;
}

/** When a message of that time (ISO 8601) has been kept for so long; undefined for never. */
export function endOfKeeping(receivedAt: string, {keepForMs}: Keeping): string | undefined {
	return keepForMs === null ? undefined : new Date(Date.parse(receivedAt) + keepForMs).toISOString();
}

/** An inbox says 0 for no bound, since null is for nothing said. */
function boundOf(own: number | null | undefined, byDefault: number | null): number | null {
	return own == null ? byDefault : own === 0 ? null : own;
}
