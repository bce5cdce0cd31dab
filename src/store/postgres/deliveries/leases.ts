import {type Delivery, maxPerEndpoint} from '../../../domain/webhooks/delivery.js';
import type {DeliveryBudget, Due} from '../../port.js';
import {RemainingBudget} from '../../rules/webhooks.js';
import {background, type Database} from '../session/database.js';
import type {Sql, Transaction} from '../session/session.js';
import {type DueEndpoint, DueEndpoints, type LeaseRequest} from './due-endpoints.js';
import {reopenDeliveries, type StoredDelivery, type StoredDue, shelveFinished, wholeDelivery} from './write.js';

/** Longer than an attempt and storing its outcome. Leases are not renewed; they expire by the clock of the database. */
const lease = '30 seconds';

/** Limits of full scans: at most one per interval, and at most this share of the time. */
const scans = {everyMs: 1000, part: 1 / 20};

/** Deleted deliveries stay in the index for a while. Queries skip them by starting this long before now, or later. */
const floorMs = 10_000;

const interruptedAtOnce = 100;

/**
 * Leases of deliveries: which node sends which one. Leases of an endpoint are given under the lock of its row, so that two
 * nodes cannot exceed the maximum per endpoint together.
 */
export class DeliveryLeases {
	readonly #due = new DueEndpoints();
	readonly #database: Database;
	readonly #nodeId: string;
	#scanAt = 0;

	constructor(database: Database, nodeId: string) {
		this.#database = database;
		this.#nodeId = nodeId;
	}

	/** Records stored deliveries that are or become due. */
	note(stored: readonly DueEndpoint[]): void {
		for (const each of stored) {
			this.#due.note(each);
		}
	}

	/** Makes the next `take` scan all endpoints. */
	scanAgain(): void {
		this.#scanAt = 0;
	}

	async lease(now: string, budget: DeliveryBudget): Promise<readonly Due[]> {
		if (performance.now() >= this.#scanAt) {
			await this.#scan();
		}

		const found: Due[] = [];
		const remaining = new RemainingBudget(budget);
		const since = performance.now();
		const choose = () => this.#due.choose(now, remaining, since);
		for (let wanted = choose(); wanted.length > 0; wanted = choose()) {
			const taken = await this.#takeOf(wanted, now).catch(error => {
				if (found.length === 0) {
					throw error;
				}
			});
			if (!taken) {
				break;
			}

			for (const due of taken) {
				remaining.take(due.endpoint.userId, due.endpoint.id);
				found.push(due);
			}
		}

		return byTurns(found);
	}

	async leaseOne(id: string, by: string): Promise<Due | 'busy' | undefined> {
		return this.#database.begin(by, async sql => {
			const [endpoint] = await sql<{id: string}[]>`
				select id from endpoints where id = (
					select endpoint_id from deliveries where id = ${id}
					union all select endpoint_id from finished_deliveries where id = ${id} limit 1
				) for no key update
			`;
			if (!endpoint) {
				return undefined;
			}

			const [held] = await sql<{isMine: boolean; isFree: boolean}[]>`
				select
					coalesce(bool_or(delivery_id = ${id} and node = ${this.#nodeId}), false) as "isMine",
					count(*) < ${maxPerEndpoint} and not coalesce(bool_or(delivery_id = ${id}), false) as "isFree"
				from leases where endpoint_id = ${endpoint.id} and until > now()
			`;
			if (!held?.isMine && !held?.isFree) {
				return 'busy';
			}

			await reopenDeliveries(sql, [id]);
			const due = await leaseDelivery(sql, id, this.#nodeId);
			return due && {delivery: wholeDelivery(due), endpoint: due.endpoint};
		});
	}

	/**
	 * Leases pending deliveries without a scheduled attempt. Finished deliveries whose resending has ended go back to the
	 * log.
	 */
	async leaseInterrupted(): Promise<readonly Delivery[]> {
		return this.#database.begin(background, async sql => {
			await shelveFinished(sql);
			const taken = await leaseInterrupted(sql, this.#nodeId);
			return taken.map(wholeDelivery);
		});
	}

	async release(id: string): Promise<void> {
		await this.#database.begin(background, async sql => {
			const [waiting] = await sql<DueEndpoint[]>`
				with gone as (delete from leases where delivery_id = ${id} and node = ${this.#nodeId} returning delivery_id)
				select d.endpoint_id as "endpointId", d.user_id as "userId", d.next_attempt_at as at
				from gone join deliveries d on d.id = gone.delivery_id
			`;
			if (waiting?.at === null) {
				await shelveFinished(sql);
			} else if (waiting) {
				this.#due.note(waiting);
			}
		});
	}

	async releaseAll(): Promise<void> {
		await this.#database.run(sql => sql`delete from leases where node = ${this.#nodeId}`);
	}

	/** Scans all endpoints for due deliveries, also those that other nodes stored. */
	async #scan(): Promise<void> {
		const {notes} = this.#due;
		const startedAt = performance.now();
		const all = await this.#database.run(firstDueOfEach);
		this.#due.replace(all, notes);
		this.#scanAt = performance.now() + Math.max(scans.everyMs, (performance.now() - startedAt) / scans.part);
	}

	async #takeOf(wanted: readonly LeaseRequest[], now: string): Promise<readonly Due[]> {
		const {notes} = this.#due;
		const ids = wanted.map(({endpointId}) => endpointId);
		const found = await this.#database.begin(background, async sql => {
			const locked = await sql<{id: string}[]>`
				select id from endpoints where id = any(${ids}::text[]) and is_active order by id for no key update skip locked
			`;
			const mine = new Set(locked.map(({id}) => id));
			const own = wanted.filter(({endpointId}) => mine.has(endpointId));
			const rows = own.length === 0 ? [] : await leaseFirst(sql, own, now, this.#nodeId);
			return new Map(own.map(({endpointId}) => [endpointId, rows.filter(row => row.endpointId === endpointId)]));
		});
		const taken: Due[] = [];
		for (const {endpointId, most, floor} of wanted) {
			const rows = found.get(endpointId);
			const due = rows?.filter(({isTaken}) => isTaken) ?? [];
			const next = rows?.find(({isFree, isTaken}) => isFree && !isTaken)?.at;
			if (rows) {
				const lowest = new Date(Date.parse(now) - floorMs).toISOString();
				this.#due.update(
					endpointId,
					{floor: rows[0]?.at ?? (floor > lowest ? floor : lowest), at: next, heldFrom: rows[0]?.heldFrom},
					notes,
				);
			}

			if (!rows || (due.length < most && next !== undefined && next <= now)) {
				this.#due.postpone(endpointId);
			}

			taken.push(...due.map(row => ({delivery: wholeDelivery(row), endpoint: row.endpoint})));
		}

		return taken;
	}
}

/** Sorts deliveries so that users take turns: first the longest due one of each, then the next. */
function byTurns(due: readonly Due[]): readonly Due[] {
	const counts = new Map<string, number>();
	return due
		.toSorted((one, other) => compare(one.delivery, other.delivery))
		.map(each => {
			const round = counts.get(each.endpoint.userId) ?? 0;
			counts.set(each.endpoint.userId, round + 1);
			return {each, round};
		})
		.sort((one, other) => one.round - other.round)
		.map(({each}) => each);
}

function compare(one: Delivery, other: Delivery): number {
	const [a, b] = [one.nextAttemptAt ?? '', other.nextAttemptAt ?? ''];
	return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Rows read per endpoint, of which some may be leased. Part of the statement, not a parameter: the planner must know that it
 * is small.
 */
const headLength = `${2 * maxPerEndpoint + 1}`;

type HeadRow = StoredDue & {
	readonly endpointId: string;
	readonly at: string;
	/** True if nobody had leased it before. */
	readonly isFree: boolean;
	/** True if it is leased now. */
	readonly isTaken: boolean;
	/** Lower bound of the ends of valid leases for the next request. */
	readonly heldFrom: number;
};

/**
 * The first due delivery of each active endpoint. Jumps from endpoint to endpoint in the index, so that its cost does not
 * depend on the number of deliveries.
 */
async function firstDueOfEach(sql: Sql): Promise<readonly DueEndpoint[]> {
	return sql<DueEndpoint[]>`
		with recursive first as (
			(
				select endpoint_id, user_id, next_attempt_at from deliveries
				where next_attempt_at is not null order by endpoint_id, next_attempt_at limit 1
			)
			union all
			select next.* from first cross join lateral (
				select endpoint_id, user_id, next_attempt_at from deliveries
				where next_attempt_at is not null and endpoint_id > first.endpoint_id
				order by endpoint_id, next_attempt_at limit 1
			) next
		)
		select f.endpoint_id as "endpointId", f.user_id as "userId", f.next_attempt_at as at
		from first f join endpoints e on e.id = f.endpoint_id where e.is_active
	`;
}

/**
 * Leases due deliveries of the requested endpoints, up to the maximum per endpoint, and returns the first rows of each. An
 * earlier statement of the transaction must have locked the endpoints.
 */
async function leaseFirst(
	sql: Transaction,
	wanted: readonly LeaseRequest[],
	now: string,
	nodeId: string,
): Promise<readonly HeadRow[]> {
	return sql<HeadRow[]>`
		with wanted as materialized (
			select
				w.endpoint_id, w.floor, least(w.most, ${maxPerEndpoint} - held.count) as most,
				floor(extract(epoch from coalesce(held.first, clock_timestamp() + ${lease}::interval)) * 1000)::bigint as held_from
			from unnest(
				${wanted.map(({endpointId}) => endpointId)}::text[], ${wanted.map(({floor}) => floor)}::text[],
				${wanted.map(({heldFrom}) => heldFrom)}::bigint[], ${wanted.map(({most}) => most)}::int[]
			) as w (endpoint_id, floor, held_from, most)
			cross join lateral (
				select count(*) as count, min(until) as first from leases l
				where l.endpoint_id = w.endpoint_id and l.until > greatest(now(), to_timestamp(w.held_from / 1000.0))
			) held
		), head as materialized (
			select w.endpoint_id, w.most, w.held_from, h.*, row_number() over (
				partition by w.endpoint_id, h.is_free order by h.next_attempt_at, h.id
			) as number
			from wanted w cross join lateral (
				select d.id, d.next_attempt_at, not exists (
					select from leases l where l.delivery_id = d.id and l.until > now()
				) as is_free
				from deliveries d where d.endpoint_id = w.endpoint_id and d.next_attempt_at >= w.floor
				order by d.next_attempt_at, d.id limit ${sql.unsafe(headLength)}
			) h
		), taken as (
			insert into leases (delivery_id, endpoint_id, node, until)
			select id, endpoint_id, ${nodeId}, clock_timestamp() + ${lease}::interval
			from head where is_free and number <= most and next_attempt_at <= ${now}
			on conflict (delivery_id) do update
			set endpoint_id = excluded.endpoint_id, node = excluded.node, until = excluded.until
			where leases.until <= now()
			returning delivery_id
		)
		select
			h.endpoint_id as "endpointId", h.next_attempt_at as at, h.is_free as "isFree", h.held_from - 1000 as "heldFrom",
			d.id is not null as "isTaken", d.row, coalesce(d.body, b.text) as body, e.row as endpoint
		from head h
		left join taken t on t.delivery_id = h.id
		left join deliveries d on d.id = t.delivery_id
		left join bodies b on b.id = d.body_id
		left join endpoints e on e.id = d.endpoint_id
		order by h.endpoint_id, h.next_attempt_at, h.id
	`;
}

/** Leases a delivery that is not in the log, even if another node has leased it. */
async function leaseDelivery(sql: Transaction, id: string, nodeId: string): Promise<StoredDue | undefined> {
	const [held] = await sql<StoredDue[]>`
		with held as (
			insert into leases (delivery_id, endpoint_id, node, until)
			select id, endpoint_id, ${nodeId}, clock_timestamp() + ${lease}::interval from deliveries where id = ${id}
			on conflict (delivery_id) do update
			set endpoint_id = excluded.endpoint_id, node = excluded.node, until = excluded.until
			returning delivery_id
		)
		select d.row, coalesce(d.body, b.text) as body, e.row as endpoint
		from held h join deliveries d on d.id = h.delivery_id join endpoints e on e.id = d.endpoint_id
		left join bodies b on b.id = d.body_id
	`;
	return held;
}

/** Leases pending deliveries without a scheduled attempt. These leases do not count for the endpoint. */
async function leaseInterrupted(sql: Transaction, nodeId: string): Promise<readonly StoredDelivery[]> {
	return sql<StoredDelivery[]>`
		with free as (
			select d.id from deliveries d
			where d.next_attempt_at is null and d.status = 'pending'
			and not exists (select from leases l where l.delivery_id = d.id and l.until > now())
			limit ${interruptedAtOnce}
			for update of d skip locked
		), taken as (
			insert into leases (delivery_id, node, until)
			select id, ${nodeId}, now() + ${lease}::interval from free
			on conflict (delivery_id) do update set node = excluded.node, until = excluded.until
			where leases.until <= now()
			returning delivery_id
		)
		select d.row, coalesce(d.body, b.text) as body
		from taken t join deliveries d on d.id = t.delivery_id left join bodies b on b.id = d.body_id
	`;
}
