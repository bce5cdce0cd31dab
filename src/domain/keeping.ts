import type {Inbox, InboxPatch} from './inbox.js';

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
