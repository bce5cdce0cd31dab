import type {FeedItem} from '../../domain/feed.js';
import {expiryOf, type Retention, retentionOf} from '../../domain/mail/inbox.js';
import type {Log} from '../../lib/log.js';
import {evictionEvents} from '../rules/inboxes.js';
import {removeMessages} from './deletion.js';
import type {MailPlan} from './mail-plan.js';
import {evictAtOnce, type LockedInbox, lockInboxes, ownRetention} from './nouns/inboxes.js';
import {idOf} from './rows.js';
import {background, type Database} from './session/database.js';
import {recordset, type Transaction} from './session/session.js';

/** Inboxes checked per call of `evict`. */
const inboxesPerCall = 20;

/** Inboxes scanned per statement at the start. */
const inboxesPerScan = 1000;

type EvictionSchedulerOptions = {
	readonly database: Database;
	/** Limits of inboxes that have none. */
	readonly defaults: Retention;
	readonly cleaner: EvictedMessageCleaner;
};

type Found = {readonly id: string; readonly messages: number; readonly latestAt: string | null} & Partial<Retention>;

/** Evicts messages that expired, or that exceed a limit lowered after they came. */
export class EvictionScheduler {
	readonly #options: EvictionSchedulerOptions;
	#scheduled: Promise<void> | undefined;

	constructor(options: EvictionSchedulerOptions) {
		this.#options = options;
	}

	/**
	 * Time of the next check of an inbox. The first call computes it for all inboxes, since the default may have changed.
	 */
	async next(): Promise<string | undefined> {
		this.#scheduled ??= this.#scheduleAll().catch(error => {
			this.#scheduled = undefined;
			throw error;
		});
		await this.#scheduled;
		return this.#options.database.time(sql => sql`select min(evict_at) as at from inboxes`);
	}

	/** Evicts messages of some inboxes whose check is due. Several nodes may do so at the same time. */
	async evict(now: string): Promise<readonly FeedItem[]> {
		const {database, cleaner} = this.#options;
		const due = await database.run(
			sql => sql<{id: string}[]>`
				select id from inboxes where evict_at <= ${now} order by evict_at limit ${inboxesPerCall}
			`,
		);
		const news: FeedItem[] = [];
		for (const {id} of due) {
			news.push(...(await database.begin(background, async sql => this.#evictFrom(sql, id, now))));
			cleaner.add([id]);
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

		const retention = retentionOf(inbox, this.#options.defaults);
		const [behind, most] = [inbox.clearedPlace, messagesPerTransaction + 1];
		const oldest = await oldestMessages(sql, [{id, behind, most}]);
		const ends = oldest.map(({latestAt}) => expiryOf(latestAt, retention));
		const expired = ends.filter(end => end !== undefined && end <= now).length;
		const tooMany = Math.max(expired, retention.keep === null ? 0 : inbox.messages - retention.keep);
		const count = Math.min(tooMany, messagesPerTransaction);
		const gone = oldest.slice(0, count);
		const nextAt = tooMany > count ? evictAtOnce : (ends[count] ?? null);
		await evict(sql, [{id, upTo: gone.at(-1)?.place ?? behind, count, nextAt}]);
		return evictionEvents(inbox, gone.map(idOf));
	}

	/** Sets the time of the next check for each inbox with limits, unless it is earlier already. */
	async #scheduleAll(): Promise<void> {
		const {database, defaults} = this.#options;
		const hasDefault = defaults.keep !== null || defaults.keepForMs !== null;
		let after = '';
		for (let isDone = false; !isDone; ) {
			const found = await database.run(
				sql => sql<Found[]>`
					select i.id, i.messages, ${ownRetention(sql)}, oldest.latest_at as "latestAt" from inboxes i
					left join lateral (
						select latest_at from messages where inbox_id = i.id and place > i.cleared_place order by place limit 1
					) as oldest on true
					where i.id > ${after} and i.messages > 0
						and (${hasDefault} or row ->> 'keep' is not null or row ->> 'keepForMs' is not null)
					order by i.id limit ${inboxesPerScan}
				`,
			);
			const checks = found.flatMap(inbox => {
				const retention = retentionOf(inbox, defaults);
				const isTooMany = retention.keep !== null && inbox.messages > retention.keep;
				const at = isTooMany ? evictAtOnce : expiryOf(inbox.latestAt ?? '', retention);
				return at === undefined ? [] : [{id: inbox.id, at}];
			});
			await database.begin(
				background,
				async sql => sql`
					update inboxes set evict_at = least(evict_at, checks.at collate "C")
					from json_to_recordset(${recordset(sql, checks)}) as checks (id text, at text)
					where inboxes.id = checks.id and inboxes.id in (
						select id from inboxes where id = any(${checks.map(({id}) => id)}) order by id for no key update
					)
				`,
			);
			after = found.at(-1)?.id ?? '';
			isDone = found.length < inboxesPerScan;
		}
	}
}

/** Evictions in the transaction of new mail. */
export type MailEvictions = {readonly evictions: readonly Eviction[]; readonly news: readonly FeedItem[]};

/** Computes the evictions caused by new mail. Queries the database only if an inbox has too many messages. */
export async function evictionsWithMail(
	sql: Transaction,
	plan: MailPlan,
	inboxes: ReadonlyMap<string, LockedInbox>,
	defaults: Retention,
): Promise<MailEvictions> {
	const excesses = plan.inboxes.flatMap(({id, messages: more}) => {
		const inbox = inboxes.get(id);
		const {keep} = retentionOf(inbox ?? {}, defaults);
		const excess = inbox && keep !== null ? inbox.messages + more - keep : 0;
		return inbox && excess > 0
			? [{inbox, excess, count: Math.min(excess, Math.max(messagesPerTransaction, more))}]
			: [];
	});
	const asked = excesses.map(({inbox, count}) => ({id: inbox.id, behind: inbox.clearedPlace, most: count}));
	const stored = asked.length === 0 ? [] : await oldestMessages(sql, asked);
	const news: FeedItem[] = [];
	const evictions = excesses.map(({inbox, excess, count}): Eviction => {
		const own = stored.filter(({inboxId}) => inboxId === inbox.id);
		const coming = plan.messages.filter(({inbox_id: inboxId}) => inboxId === inbox.id);
		const gone = [...own, ...coming].slice(0, count);
		news.push(...evictionEvents(inbox, gone.map(idOf)));
		const nextAt = excess > count ? evictAtOnce : nextCheck(inbox, plan, defaults);
		return {id: inbox.id, upTo: gone.at(-1)?.place ?? inbox.clearedPlace, count, nextAt};
	});
	const ids = new Set(evictions.map(({id}) => id));
	const checks = plan.inboxes.flatMap(({id}): Eviction[] => {
		const inbox = inboxes.get(id);
		const nextAt = inbox && !ids.has(id) && inbox.evictAt === null ? nextCheck(inbox, plan, defaults) : null;
		return inbox && nextAt !== null ? [{id, upTo: inbox.clearedPlace, count: 0, nextAt}] : [];
	});
	return {evictions: [...evictions, ...checks], news};
}

/** Time of the next check: unchanged, or when the first of the new messages expires. */
function nextCheck(inbox: LockedInbox, plan: MailPlan, defaults: Retention): string | null {
	const retention = retentionOf(inbox, defaults);
	if (inbox.evictAt !== null || retention.keepForMs === null) {
		return inbox.evictAt;
	}

	const first = plan.messages.find(({inbox_id: inboxId}) => inboxId === inbox.id);
	return first === undefined ? null : (expiryOf(first.latest_at, retention) ?? null);
}

/** Messages evicted per inbox and transaction, so that it stays short; more only if as many are added. */
const messagesPerTransaction = 500;

/** The oldest messages of an inbox after a place, at most `most`. */
type OldestRequest = {readonly id: string; readonly behind: number; readonly most: number};

type OldMessage = {
	readonly inboxId: string;
	readonly place: number;
	readonly id: string;
	readonly latestAt: string;
};

async function oldestMessages(sql: Transaction, asked: readonly OldestRequest[]): Promise<readonly OldMessage[]> {
	return sql<OldMessage[]>`
		select asked.id as "inboxId", found.place, found.id, found.latest_at as "latestAt"
		from json_to_recordset(${recordset(sql, asked)}) as asked (id text, behind bigint, most int)
		cross join lateral (
			select place, id, latest_at from messages
			where inbox_id = asked.id and place > asked.behind order by place limit asked.most
		) as found
		order by found.place
	`;
}

type Eviction = {
	readonly id: string;
	/** Messages up to this place are evicted. */
	readonly upTo: number;
	readonly count: number;
	/** Time of the next check; null for never. */
	readonly nextAt: string | null;
};

/** Hides the oldest messages of inboxes; `removeMessages` deletes them. The inboxes and their owners must be locked. */
export async function evict(sql: Transaction, evictions: readonly Eviction[]): Promise<void> {
	await sql`
		with evicted as (
			update inboxes set
				cleared_place = given."upTo", messages = messages - given.count,
				evicted = evicted + given.count, evict_at = given."nextAt"
			from json_to_recordset(${recordset(sql, evictions)})
				as given (id text, "upTo" bigint, count int, "nextAt" text)
			where inboxes.id = given.id returning inboxes.id, owner_id, cleared_place, given.count
		)
		insert into message_deletions (inbox_id, owner_id, up_to)
		select id, owner_id, cleared_place from evicted where count > 0
		on conflict (inbox_id) do update set up_to = excluded.up_to
	`;
}

/** Delay before the deletion, so that evictions within this time are deleted together. */
const delayMs = 500;

/** Deletes evicted messages in the background. Work left at shutdown is picked up by another node or the next start. */
export type EvictedMessageCleaner = {
	/** Schedules the deletion for these inboxes. */
	add(inboxIds: readonly string[]): void;
	stop(): void;
};

export function createEvictedMessageCleaner(database: Database, log: Log): EvictedMessageCleaner {
	let waiting = new Set<string>();
	let timer: NodeJS.Timeout | undefined;
	let isStopped = false;
	const remove = async () => {
		const inboxIds = waiting;
		waiting = new Set();
		try {
			for (const id of inboxIds) {
				await database.whole(background, async begin => removeMessages(begin, id));
			}
		} catch (error) {
			if (!isStopped) {
				log.warn({err: error}, 'Deleting evicted messages failed; retrying');
			}
		}

		timer = undefined;
		add([]);
	};
	const add = (inboxIds: readonly string[]) => {
		for (const id of inboxIds) {
			waiting.add(id);
		}

		if (waiting.size > 0 && !isStopped) {
			timer ??= setTimeout(() => void remove(), delayMs).unref();
		}
	};
	return {
		add,
		stop: () => {
			isStopped = true;
			clearTimeout(timer);
		},
	};
}
