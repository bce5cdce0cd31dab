import type {FeedItem} from '../../../domain/feed.js';
import {endOfKeeping, type Keeping, keepingOf} from '../../../domain/mail/inbox.js';
import {evictionEvents} from '../../rules/inboxes.js';
import type {Transaction} from '../connection.js';
import type {LockedInbox} from '../lock-inboxes.js';
import type {MailPlan} from '../mail-plan.js';
import {atOnce, type Eviction, messagesAtOnce, oldestMessages} from './evict.js';

/** What goes in the transaction of mails. */
export type MailEvictions = {readonly evictions: readonly Eviction[]; readonly news: readonly FeedItem[]};

/** What inboxes keep no longer once the mails are there. The database is asked only where one has too many. */
export async function evictionsWithMail(
	sql: Transaction,
	plan: MailPlan,
	inboxes: ReadonlyMap<string, LockedInbox>,
	byDefault: Keeping,
): Promise<MailEvictions> {
	const excesses = plan.inboxes.flatMap(({id, messages: more}) => {
		const inbox = inboxes.get(id);
		const {keep} = keepingOf(inbox ?? {}, byDefault);
		const excess = inbox && keep !== null ? inbox.messages + more - keep : 0;
		return inbox && excess > 0 ? [{inbox, excess, count: Math.min(excess, Math.max(messagesAtOnce, more))}] : [];
	});
	const asked = excesses.map(({inbox, count}) => ({id: inbox.id, behind: inbox.clearedPlace, most: count}));
	const stored = asked.length === 0 ? [] : await oldestMessages(sql, asked);
	const news: FeedItem[] = [];
	const evictions = excesses.map(({inbox, excess, count}): Eviction => {
		const own = stored.filter(({inboxId}) => inboxId === inbox.id);
		const coming = plan.messages.filter(({inbox_id: inboxId}) => inboxId === inbox.id);
		const gone = [...own, ...coming].slice(0, count);
		news.push(
			...evictionEvents(
				inbox,
				gone.map(({id}) => id),
			),
		);
		const nextAt = excess > count ? atOnce : nextLook(inbox, plan, byDefault);
		return {id: inbox.id, upTo: gone.at(-1)?.place ?? inbox.clearedPlace, count, nextAt};
	});
	const ids = new Set(evictions.map(({id}) => id));
	const looks = plan.inboxes.flatMap(({id}): Eviction[] => {
		const inbox = inboxes.get(id);
		const nextAt = inbox && !ids.has(id) && inbox.evictAt === null ? nextLook(inbox, plan, byDefault) : null;
		return inbox && nextAt !== null ? [{id, upTo: inbox.clearedPlace, count: 0, nextAt}] : [];
	});
	return {evictions: [...evictions, ...looks], news};
}

/** When the inbox is to be looked at: as it was, or when the first of the mails is to go. */
function nextLook(inbox: LockedInbox, plan: MailPlan, byDefault: Keeping): string | null {
	const keeping = keepingOf(inbox, byDefault);
	if (inbox.evictAt !== null || keeping.keepForMs === null) {
		return inbox.evictAt;
	}

	const first = plan.messages.find(({inbox_id: inboxId}) => inboxId === inbox.id);
	return first === undefined ? null : (endOfKeeping(first.latest_at, keeping) ?? null);
}
