import type {FeedItem} from '../../domain/feed.js';
import type {EventReading} from '../port.js';
import {locks} from './session/database.js';
import type {AnySql, Transaction} from './session/session.js';

/** A place in the log: before this item of the row, or of the next row there is. */
type Place = {readonly xid: number; readonly index: number};

/** Asks the log, with what `ownHorizon` told where that is needed. */
type AskLog = <Bounds extends EventBounds>(ask: (sql: AnySql, known: number) => Promise<Bounds>) => Promise<Bounds>;

/** Reads the log behind cursors, which are good on all nodes of a store: they name the store, its timeline, and a place. */
export class EventReader {
	readonly #storeId: string;
	readonly #ask: AskLog;
	readonly #underWay = new Map<string, Promise<EventReading | undefined>>();

	constructor(storeId: string, ask: AskLog) {
		this.#storeId = storeId;
		this.#ask = ask;
	}

	/** The cursor behind all that can be read. */
	endOf(bounds: EventBounds): string {
		return this.#cursorOf({xid: bounds.end, index: 0}, bounds);
	}

	/** As the port says. Those who ask for the same at the same time are answered together. */
	async read(cursor: string, maxItems: number): Promise<EventReading | undefined> {
		const key = `${maxItems} ${cursor}`;
		const reading = this.#underWay.get(key) ?? this.#read(cursor, maxItems).finally(() => this.#underWay.delete(key));
		this.#underWay.set(key, reading);
		return reading;
	}

	/** As the port says. */
	async isSameScope(userId: string, cursor: string): Promise<boolean> {
		const place = placeOf(cursor);
		if (!place) {
			return false;
		}

		const asked = {from: place.xid, userId};
		const {isChanged, ...bounds} = await this.#ask((sql, known) => scopeChanged(sql, known, asked));
		return !isChanged && this.#isKnown(cursor, place, bounds);
	}

	async #read(cursor: string, maxItems: number): Promise<EventReading | undefined> {
		const place = placeOf(cursor);
		if (!place) {
			return undefined;
		}

		const asked = {from: place.xid, maxRows: maxItems};
		const {rows, ...bounds} = await this.#ask((sql, known) => readEvents(sql, known, asked));
		if (!this.#isKnown(cursor, place, bounds)) {
			return undefined;
		}

		const found = rows.flatMap(row => itemsBehind(place, row)).slice(0, maxItems);
		return {
			items: found.map(({item}) => item),
			cursorAfter: count => {
				const behind = count === 0 ? place : found[count - 1]?.behind;
				const isBehindAll = found.length === 0 && place.xid < bounds.end;
				return isBehindAll || !behind ? this.endOf(bounds) : this.#cursorOf(behind, bounds);
			},
		};
	}

	#isKnown(cursor: string, place: Place, bounds: EventBounds): boolean {
		return cursor === this.#cursorOf(place, bounds) && place.xid >= bounds.start && place.xid <= bounds.newest;
	}

	#cursorOf({xid, index}: Place, {timeline}: EventBounds): string {
		return `${this.#storeId}.${timeline}:${xid}${index === 0 ? '' : `.${index}`}`;
	}
}

function placeOf(cursor: string): Place | undefined {
	const [found, xid = '', index = '0'] = /:(\d{1,15})(?:\.(\d{1,9}))?$/.exec(cursor) ?? [];
	return found === undefined ? undefined : {xid: Number(xid), index: Number(index)};
}

/** The items of a row that are behind the place, each with the place behind it. */
function itemsBehind(place: Place, {xid, items}: EventRow): ReadonlyArray<{item: FeedItem; behind: Place}> {
	const first = xid === place.xid ? place.index : 0;
	return items.slice(first).map((item, offset) => {
		const index = first + offset + 1;
		return {item, behind: index === items.length ? {xid: xid + 1, index: 0} : {xid, index}};
	});
}

/** How long events are kept, and how many rows of them. */
const kept = {for: '1 hour', rows: 100_000};

/** A row: what one transaction told of. */
type EventRow = {readonly xid: number; readonly items: readonly FeedItem[]};

/** How far the log goes, at one moment. Places are ids of transactions: all before one of them are over. */
export type EventBounds = {
	/** Changes when a standby takes over: what it had not got by then is as if it had never been. */
	readonly timeline: string;
	/** What came before may be gone. */
	readonly start: number;
	/** Behind the last row that can be read. */
	readonly end: number;
	/** Behind the last row: more than `end` while a transaction that began before it is under way. */
	readonly newest: number;
	/** Before it, no transaction is under way in any database of the server. */
	readonly serverHorizon: number;
};

/** Adds what the transaction tells of, once in each. */
export async function addEvents(sql: AnySql, nodeId: string, items: readonly FeedItem[]): Promise<void> {
	const userIds = items.flatMap(item => (item.type === 'scope' ? item.userIds : []));
	const scope = userIds.length === 0 ? null : userIds;
	await sql`
		insert into events (node, items, scope) values (${nodeId}, ${sql.json(items.map(inBrief))}, ${scope}::text[])
	`;
}

/** Of an inbox nothing but what is needed: services hand over all of it. */
function inBrief(item: FeedItem): FeedItem {
	if (!('inbox' in item) || item.inbox === null) {
		return item;
	}

	const {id, ownerId, teamId} = item.inbox;
	return {...item, inbox: {id, ownerId, teamId}};
}

type Head = {timeline: string; start: string; last: string | null; newest: string | null; serverHorizon: string};

/**
 * Ids of transactions are given in the order in which they first write, and they are over in any order. So a row is passed over
 * while its transaction, or any before it, is under way (`horizon` is the first of these): behind what was read, nothing can appear.
 * A place rests on the last row rather than on `horizon`: after a crash, ids of which nothing was written down are given again.
 */
const head = (sql: AnySql, known: number) => sql`
	select
		substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline,
		start::text,
		greatest(horizon, ${String(known)}::xid8) as horizon,
		(
			select events.xid::text from events where xid < greatest(horizon, ${String(known)}::xid8)
			order by events.xid desc limit 1
		) as last,
		(select events.xid::text from events order by events.xid desc limit 1) as newest,
		horizon::text as "serverHorizon"
	from event_log, pg_snapshot_xmin(pg_current_snapshot()) as horizon
`;

const headColumns = (sql: AnySql) => sql`timeline, start, last, newest, "serverHorizon"`;

/** How far the log goes by now. As in all that follows, `known` is what `ownHorizon` told before in the same transaction, or 0. */
export async function eventBounds(sql: AnySql, known: number): Promise<EventBounds> {
	const [found] = await sql<Head[]>`select ${headColumns(sql)} from (${head(sql, known)}) as head`;
	return boundsOf(found);
}

/** The first rows from a place on, as many as are asked for. */
export async function readEvents(
	sql: AnySql,
	known: number,
	{from, maxRows}: {readonly from: number; readonly maxRows: number},
): Promise<EventBounds & {rows: EventRow[]}> {
	const found = await sql<Array<Head & {xid: string | null; items: readonly FeedItem[]}>>`
		select ${headColumns(sql)}, events.xid::text, items
		from (${head(sql, known)}) as head
		left join lateral (
			select * from events where xid >= ${String(from)}::xid8 and xid < horizon order by xid limit ${maxRows}
		) as events on true
		order by events.xid
	`;
	const rows = found.flatMap(({xid, items}) => (xid === null ? [] : [{xid: Number(xid), items}]));
	return {...boundsOf(found[0]), rows};
}

/** How far the log goes, and whether something from the place on changed what the user may see. */
async function scopeChanged(
	sql: AnySql,
	known: number,
	{from, userId}: {readonly from: number; readonly userId: string},
): Promise<EventBounds & {isChanged: boolean}> {
	const [found] = await sql<Array<Head & {isChanged: boolean}>>`
		select ${headColumns(sql)}, exists (
			select from events
			where scope is not null and xid >= ${String(from)}::xid8 and xid < horizon and ${userId} = any (scope)
		) as "isChanged"
		from (${head(sql, known)}) as head
	`;
	return {...boundsOf(found), isChanged: found?.isChanged ?? true};
}

/**
 * A place before which no transaction of this database is under way; 0 when that cannot be told. `head` looks at those of all
 * databases of the server, and one that is long would hold everything back. Good for the next statements of the transaction.
 */
export async function ownHorizon(sql: AnySql): Promise<number> {
	const [{next, underWay, isHidden}] = await sql<[{next: string; underWay: readonly string[]; isHidden: boolean}]>`
		select
			pg_snapshot_xmax(pg_current_snapshot())::text as next,
			coalesce(json_agg(backend_xid::text) filter (where backend_xid is not null), '[]') as "underWay",
			bool_or(query = '<insufficient privilege>') as "isHidden"
		from pg_stat_activity where datname = current_database()
	`;
	// They are told by their lower 32 bits; one that is not before `next` does not matter.
	const ages = underWay.map(xid => (Number(next) - Number(xid)) % 2 ** 32);
	return isHidden
		? 0
		: Number(next) - Math.max(0, ...ages.map(age => (age < 0 ? age + 2 ** 32 : age)).filter(age => age < 2 ** 31));
}

/** Removes what is too old or too much, unless another node does so. */
export async function removeOldEvents(sql: Transaction, keep = kept): Promise<void> {
	const [lock] = await sql<[{isFree: boolean}]>`select pg_try_advisory_xact_lock(${locks.oldEvents}) as "isFree"`;
	if (!lock.isFree) {
		return;
	}

	const [{last}] = await sql<[{last: string | null}]>`
		select greatest(
			(
				select xid from events
				where xid < coalesce(
					(select xid from events where at >= now() - ${keep.for}::interval order by xid limit 1),
					pg_current_xact_id()
				)
				order by xid desc limit 1
			),
			(select xid from events order by xid desc offset ${keep.rows} limit 1)
		)::text as last
	`;
	if (last !== null) {
		await sql`update event_log set start = ${String(Number(last) + 1)}::xid8`;
		await sql`delete from events where xid <= ${last}::xid8`;
	}
}

/** Forgets the events of another server, from whose copy this database was made: they say nothing here. */
export async function forgetForeignEvents(sql: Transaction): Promise<void> {
	await sql`delete from events where xid >= pg_snapshot_xmax(pg_current_snapshot())`;
	await sql`update event_log set start = '0' where start > pg_snapshot_xmax(pg_current_snapshot())`;
}

function boundsOf(found: Head | undefined): EventBounds {
	const {timeline = '', start = '0', last = null, newest = null, serverHorizon = '0'} = found ?? {};
	const behind = (xid: string | null) => Math.max(Number(start), xid === null ? 0 : Number(xid) + 1);
	return {
		timeline,
		start: Number(start),
		end: behind(last),
		newest: behind(newest),
		serverHorizon: Number(serverHorizon),
	};
}
