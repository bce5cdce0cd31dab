import type {FeedItem} from '../../domain/feed.js';
import type {EventReading} from '../port.js';
import {locks} from './session/database.js';
import type {AnySql, Transaction} from './session/session.js';

/** Position in the log: before an item of a row, or before the next row. */
type Place = {readonly xid: number; readonly index: number};

/** Runs a query on the log. `known` is a horizon from `ownHorizon`, or 0. */
type AskLog = <Bounds extends EventBounds>(ask: (sql: AnySql, known: number) => Promise<Bounds>) => Promise<Bounds>;

/** Reads the log by cursor. Cursors are valid on all nodes: they contain the store id, its timeline and a place. */
export class EventReader {
	readonly #storeId: string;
	readonly #ask: AskLog;
	readonly #underWay = new Map<string, Promise<EventReading | undefined>>();

	constructor(storeId: string, ask: AskLog) {
		this.#storeId = storeId;
		this.#ask = ask;
	}

	/** The cursor after all readable events. */
	endOf(bounds: EventBounds): string {
		return this.#cursorOf({xid: bounds.end, index: 0}, bounds);
	}

	/** Implements `EventStore.read`. Concurrent identical reads share one query. */
	async read(cursor: string, maxItems: number): Promise<EventReading | undefined> {
		const key = `${maxItems} ${cursor}`;
		const reading = this.#underWay.get(key) ?? this.#read(cursor, maxItems).finally(() => this.#underWay.delete(key));
		this.#underWay.set(key, reading);
		return reading;
	}

	/** Implements `EventStore.isSameScope`. */
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

/** Items of a row after the place, each with the place after it. */
function itemsBehind(place: Place, {xid, items}: EventRow): ReadonlyArray<{item: FeedItem; behind: Place}> {
	const first = xid === place.xid ? place.index : 0;
	return items.slice(first).map((item, offset) => {
		const index = first + offset + 1;
		return {item, behind: index === items.length ? {xid: xid + 1, index: 0} : {xid, index}};
	});
}

/** Age and number of rows up to which events are kept. */
const kept = {for: '1 hour', rows: 100_000};

/** The events of one transaction. */
type EventRow = {readonly xid: number; readonly items: readonly FeedItem[]};

/** Extent of the log at one moment. A place is a transaction id: all transactions before it have ended. */
export type EventBounds = {
	/** Changes when a standby takes over, which may not have received the last transactions. */
	readonly timeline: string;
	/** Rows before it may be deleted. */
	readonly start: number;
	/** After the last readable row. */
	readonly end: number;
	/** After the last row. Higher than `end` while a transaction that started before that row is running. */
	readonly newest: number;
	/** All transactions before it have ended, in all databases of the server. */
	readonly serverHorizon: number;
};

/** Inserts the events of the transaction. Call it once per transaction. */
export async function addEvents(sql: AnySql, nodeId: string, items: readonly FeedItem[]): Promise<void> {
	const userIds = items.flatMap(item => (item.type === 'scope' ? item.userIds : []));
	const scope = userIds.length === 0 ? null : userIds;
	await sql`
		insert into events (node, items, scope) values (${nodeId}, ${sql.json(items.map(inBrief))}, ${scope}::text[])
	`;
}

/** Reduces the inbox of an event to the fields that readers need. */
function inBrief(item: FeedItem): FeedItem {
	if (!('inbox' in item) || item.inbox === null) {
		return item;
	}

	const {id, ownerId, teamId} = item.inbox;
	return {...item, inbox: {id, ownerId, teamId}};
}

type Head = {timeline: string; start: string; last: string | null; newest: string | null; serverHorizon: string};

/**
 * Query for the extent of the log.
 *
 *
 * Transaction ids are assigned at the first write, but transactions end in any order. Therefore a row is readable only once
 * its transaction and all before it have ended (`horizon` is the first running one): nothing can be inserted before a row
 * that was read. A place is derived from the last row, not from `horizon`: after a crash, ids that were not written to disk
 * are assigned again.
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

/**
 * Reads the extent of the log. `known` is the result of `ownHorizon` in the same transaction, or 0; this also holds for the
 * functions below.
 */
export async function eventBounds(sql: AnySql, known: number): Promise<EventBounds> {
	const [found] = await sql<Head[]>`select ${headColumns(sql)} from (${head(sql, known)}) as head`;
	return boundsOf(found);
}

/** Reads the first rows from a place on. */
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

/** Reads the extent of the log, and whether a row from a place on changed what the user may see. */
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
 * A place before which all transactions of this database have ended; 0 if unknown. `head` considers the transactions of all
 * databases of the server, so a long one elsewhere would delay all events. Valid for the next statements of the transaction.
 */
export async function ownHorizon(sql: AnySql): Promise<number> {
	const [{next, underWay, isHidden}] = await sql<[{next: string; underWay: readonly string[]; isHidden: boolean}]>`
		select
			pg_snapshot_xmax(pg_current_snapshot())::text as next,
			coalesce(json_agg(backend_xid::text) filter (where backend_xid is not null), '[]') as "underWay",
			bool_or(query = '<insufficient privilege>') as "isHidden"
		from pg_stat_activity where datname = current_database()
	`;
	// The view shows only the lower 32 bits. Transactions that are not before `next` do not matter.
	const ages = underWay.map(xid => (Number(next) - Number(xid)) % 2 ** 32);
	return isHidden
		? 0
		: Number(next) - Math.max(0, ...ages.map(age => (age < 0 ? age + 2 ** 32 : age)).filter(age => age < 2 ** 31));
}

/** Deletes events that are too old or too many, unless another node is doing so. */
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

/**
 * Deletes the events of another server if this database is a copy of its database: their transaction ids mean nothing here.
 */
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
