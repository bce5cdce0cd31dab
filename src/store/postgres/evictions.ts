import type {FeedItem} from '../../domain/feed.js';
import {endOfKeeping, type Keeping, keepingOf} from '../../domain/mail/inbox.js';
import type {Log} from '../../lib/log.js';
import {evictionEvents} from '../rules/inboxes.js';
import {removeMessages} from './deletion.js';
import type {MailPlan} from './mail-plan.js';
import {evictAtOnce, type LockedInbox, lockInboxes, ownKeeping} from './nouns/inboxes.js';
import type {Database} from './session/database.js';
import type {Transaction} from './session/session.js';

/** Inboxes that are looked at before others have a turn. */
const inboxesAtOnce = 20;

/** Inboxes of which one statement finds out when they are to be looked at. */
const inboxesAtStart = 1000;

type EvictionParts = {
	readonly database: Database;
	/** What inboxes keep that say nothing themselves. */
	readonly byDefault: Keeping;
	readonly leavings: EvictedMessageCleaner;
};

type Found = {readonly id: string; readonly messages: number; readonly latestAt: string | null} & Partial<Keeping>;

/** Evicts what does not go with new mail: what is too old, and what is too much since somebody said so. */
export class EvictionScheduler {
	readonly #parts: EvictionParts;
	#start: Promise<void> | undefined;

	constructor(parts: EvictionParts) {
		this.#parts = parts;
	}

	/** When an inbox is to be looked at next. Asked for the first time, it finds that out for all: the default may be another one now. */
	async next(): Promise<string | undefined> {
		this.#start ??= this.#findAll().catch(error => {
			this.#start = undefined;
			throw error;
		});
		await this.#start;
		const [next] = await this.#parts.database.run(
			sql => sql<{at: string | null}[]>`select min(evict_at) as at from inboxes`,
		);
		return next?.at ?? undefined;
	}

	/** Looks at some of the inboxes whose time it is. Other nodes may do the same. */
	async evict(now: string): Promise<readonly FeedItem[]> {
		const {database, leavings} = this.#parts;
		const due = await database.run(
			sql => sql<{id: string}[]>`
				select id from inboxes where evict_at <= ${now} order by evict_at limit ${inboxesAtOnce}
			`,
		);
		const news: FeedItem[] = [];
		for (const {id} of due) {
			news.push(...(await database.begin(async sql => this.#evictFrom(sql, id, now))));
			leavings.add([id]);
		}

		return news;
	}

	async #evictFrom(sql: Transaction, id: string, now: string): Promise<readonly FeedItem[]> {
		const [, [inbox]] = await Promise.all([
			sql`select from users where id = (select owner_id from inboxes where id = ${id}) for no key update`,
			lockInboxes(sql, [id]),
		]);
		if (inbox === undefined || inbox.evictAt === null || inbox.evictAt > now) {
			return [];
		}

		const keeping = keepingOf(inbox, this.#parts.byDefault);
		const [behind, most] = [inbox.clearedPlace, messagesAtOnce + 1];
		const oldest = await oldestMessages(sql, [{id, behind, most}]);
		const ends = oldest.map(({latestAt}) => endOfKeeping(latestAt, keeping));
		const aged = ends.filter(end => end !== undefined && end <= now).length;
		const tooMany = Math.max(aged, keeping.keep === null ? 0 : inbox.messages - keeping.keep);
		const count = Math.min(tooMany, messagesAtOnce);
		const gone = oldest.slice(0, count);
		const nextAt = tooMany > count ? evictAtOnce : (ends[count] ?? null);
		await evict(sql, [{id, upTo: gone.at(-1)?.place ?? behind, count, nextAt}]);
		return evictionEvents(
			inbox,
			gone.map(message => message.id),
		);
	}

	/** Sets, for each inbox that does not keep all for ever, when it is to be looked at, or leaves it when that is sooner. */
	async #findAll(): Promise<void> {
		const {database, byDefault} = this.#parts;
		const hasDefault = byDefault.keep !== null || byDefault.keepForMs !== null;
		let after = '';
		for (let isOver = false; !isOver; ) {
			const found = await database.run(
				sql => sql<Found[]>`
					select i.id, i.messages, ${ownKeeping(sql)}, oldest.latest_at as "latestAt" from inboxes i
					left join lateral (
						select latest_at from messages where inbox_id = i.id and place > i.cleared_place order by place limit 1
					) as oldest on true
					where i.id > ${after} and i.messages > 0
						and (${hasDefault} or row ->> 'keep' is not null or row ->> 'keepForMs' is not null)
					order by i.id limit ${inboxesAtStart}
				`,
			);
			const looks = found.flatMap(inbox => {
				const keeping = keepingOf(inbox, byDefault);
				const isTooMany = keeping.keep !== null && inbox.messages > keeping.keep;
				const at = isTooMany ? evictAtOnce : endOfKeeping(inbox.latestAt ?? '', keeping);
				return at === undefined ? [] : [{id: inbox.id, at}];
			});
			await database.begin(
				async sql => sql`
					update inboxes set evict_at = least(evict_at, looks.at collate "C")
					from json_to_recordset(${sql.typed(looks as never, 114)}) as looks (id text, at text)
					where inboxes.id = looks.id and inboxes.id in (
						select id from inboxes where id = any(${looks.map(({id}) => id)}) order by id for no key update
					)
				`,
			);
			after = found.at(-1)?.id ?? '';
			isOver = found.length < inboxesAtStart;
		}
	}
}

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
		const nextAt = excess > count ? evictAtOnce : nextLook(inbox, plan, byDefault);
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

/** Messages of an inbox that one transaction evicts, unless it brings more, so that it is short. */
const messagesAtOnce = 500;

/** Which messages of an inbox are asked for: so many, the oldest behind a place. */
type AskedOldest = {readonly id: string; readonly behind: number; readonly most: number};

type OldMessage = {
	readonly inboxId: string;
	readonly place: number;
	readonly id: string;
	readonly latestAt: string;
};

/** The oldest first. */
async function oldestMessages(sql: Transaction, asked: readonly AskedOldest[]): Promise<readonly OldMessage[]> {
	return sql<OldMessage[]>`
		select asked.id as "inboxId", found.place, found.id, found.latest_at as "latestAt"
		from json_to_recordset(${sql.typed(asked as never, 114)}) as asked (id text, behind bigint, most int)
		cross join lateral (
			select place, id, latest_at from messages
			where inbox_id = asked.id and place > asked.behind order by place limit asked.most
		) as found
		order by found.place
	`;
}

type Eviction = {
	readonly id: string;
	/** The place of the last one that goes, or that behind which all stand by now. */
	readonly upTo: number;
	readonly count: number;
	/** When the inbox is to be looked at next; null for never. */
	readonly nextAt: string | null;
};

/** Puts the oldest messages of inboxes, which are locked with their owners, out of sight, for `removeMessages`. */
export async function evict(sql: Transaction, evictions: readonly Eviction[]): Promise<void> {
	await sql`
		with evicted as (
			update inboxes set
				cleared_place = given."upTo", messages = messages - given.count,
				evicted = evicted + given.count, evict_at = given."nextAt"
			from json_to_recordset(${sql.typed(evictions as never, 114)})
				as given (id text, "upTo" bigint, count int, "nextAt" text)
			where inboxes.id = given.id returning inboxes.id, owner_id, cleared_place, given.count
		)
		insert into removals (inbox_id, owner_id, up_to)
		select id, owner_id, cleared_place from evicted where count > 0
		on conflict (inbox_id) do update set up_to = excluded.up_to
	`;
}

/** How long they may stay: what new mail drives out of an inbox in that time goes together. */
const lateMs = 500;

/** Takes evicted messages away that are out of sight, soon after; what is left at the end, another node does, or the next start. */
export class EvictedMessageCleaner {
	readonly #database: Database;
	readonly #log: Log;
	#inboxIds = new Set<string>();
	#timer: NodeJS.Timeout | undefined;
	#isStopped = false;

	constructor(database: Database, log: Log) {
		this.#database = database;
		this.#log = log;
	}

	/** Of these inboxes. */
	add(inboxIds: readonly string[]): void {
		for (const id of inboxIds) {
			this.#inboxIds.add(id);
		}

		if (this.#inboxIds.size > 0 && !this.#isStopped) {
			this.#timer ??= setTimeout(() => void this.#remove(), lateMs).unref();
		}
	}

	stop(): void {
		this.#isStopped = true;
		clearTimeout(this.#timer);
	}

	async #remove(): Promise<void> {
		const inboxIds = this.#inboxIds;
		this.#inboxIds = new Set();
		try {
			for (const id of inboxIds) {
				await this.#database.whole(async begin => removeMessages(begin, id));
			}
		} catch (error) {
			if (!this.#isStopped) {
				this.#log.warn({err: error}, 'Deleting evicted messages failed; retrying');
			}
		}

		this.#timer = undefined;
		this.add([]);
	}
}
