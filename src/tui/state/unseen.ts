import type {InboxBody} from '../../contract/inboxes.js';

/** More ids than this are not kept of one inbox, however long a mail storm lasts. */
const mostIds = 1000;

/** The messages of an inbox that came while this ran and were not looked at. */
export type Unseen = {
	/** The newest of them. */
	readonly ids: ReadonlySet<string>;
	/** How many there are in all. */
	readonly count: number;
};

export const noneUnseen: Unseen = {ids: new Set(), count: 0};

/** With messages that came, the newest one last. */
export function withArrived({ids, count}: Unseen, arrived: readonly string[]): Unseen {
	const fresh = arrived.filter(id => !ids.has(id));
	const all = [...ids, ...fresh];
	return {ids: new Set(all.slice(-mostIds)), count: count + fresh.length};
}

/** Without those that were looked at or deleted. What is no longer known by its id goes on counting. */
export function withoutSeen(unseen: Unseen, seen: readonly string[]): Unseen {
	const left = new Set(unseen.ids);
	for (const id of seen) {
		left.delete(id);
	}

	return {ids: left, count: unseen.count - (unseen.ids.size - left.size)};
}

/** How many to tell of: no more than there are messages. */
export function unseenIn(unseen: ReadonlyMap<string, Unseen>, inbox: InboxBody): number {
	return Math.min(unseen.get(inbox.id)?.count ?? 0, inbox.message_count);
}
