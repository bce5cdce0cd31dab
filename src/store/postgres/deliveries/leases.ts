import {type Delivery, maxPerEndpoint} from '../../../domain/webhooks/delivery.js';
import type {DeliveryBudget, Due} from '../../port.js';
import {RemainingBudget} from '../../rules/webhooks.js';
import type {Database} from '../session/database.js';
import type {Sql, Transaction} from '../session/session.js';
import {type DueEndpoint, DueEndpoints, type LeaseRequest} from './due-endpoints.js';
import {reopenDelivery, type StoredDelivery, type StoredDue, shelveFinished, wholeDelivery} from './write.js';

/** Longer than an attempt and what follows take. By the clock of the database; nobody renews it. */
const lease = '30 seconds';

/** A look at all endpoints: this often at most, and for this part of the time at most. */
const looks = {everyMs: 1000, part: 1 / 20};

/** What is deleted stays in the way of those who look for what is due; it is passed over from here on, or later. */
const floorMs = 10_000;

const interruptedAtOnce = 100;

/**
 * Which node sends which delivery. DeliveryLeases of an endpoint are given one after the other, under the lock of its row, so that no
 * two nodes count the same four.
 */
export class DeliveryLeases {
	readonly #due = new DueEndpoints();
	readonly #database: Database;
	readonly #nodeId: string;
	readonly #holder: Holder;
	#lookAt = 0;

	constructor(database: Database, nodeId: string) {
		this.#database = database;
		this.#nodeId = nodeId;
		this.#holder = {nodeId, lease};
	}

	/** Takes note of what was stored that is due then. */
	note(stored: readonly DueEndpoint[]): void {
		for (const each of stored) {
			this.#due.note(each);
		}
	}

	/** Something changed of which this node cannot tell what it makes due. */
	lookAgain(): void {
		this.#lookAt = 0;
	}

	async take(now: string, room: DeliveryBudget): Promise<readonly Due[]> {
		if (performance.now() >= this.#lookAt) {
			await this.#look();
		}

		const found: Due[] = [];
		const left = new RemainingBudget(room);
		const since = performance.now();
		const choose = () => this.#due.choose(now, left, since);
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
				left.take(due.endpoint.userId, due.endpoint.id);
				found.push(due);
			}
		}

		return inTurn(found);
	}

	async takeOne(id: string): Promise<Due | 'busy' | undefined> {
		return this.#database.begin(async sql => {
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

			await reopenDelivery(sql, id);
			const due = await holdDelivery(sql, id, this.#holder);
			return due && {delivery: wholeDelivery(due), endpoint: due.endpoint};
		});
	}

	/** Holds pending deliveries of which no attempt is to follow and that nobody holds; the log gets back what was sent again. */
	async takeInterrupted(): Promise<readonly Delivery[]> {
		return this.#database.begin(async sql => {
			await shelveFinished(sql);
			const taken = await holdInterrupted(sql, interruptedAtOnce, this.#holder);
			return taken.map(wholeDelivery);
		});
	}

	async release(id: string): Promise<void> {
		await this.#database.begin(async sql => {
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

	/** At the end of the node. */
	async releaseAll(): Promise<void> {
		await this.#database.run(sql => sql`delete from leases where node = ${this.#nodeId}`);
	}

	/** What is due of all endpoints, and when: also what other nodes stored, or left behind. */
	async #look(): Promise<void> {
		const {notes} = this.#due;
		const startedAt = performance.now();
		const all = await this.#database.run(firstOfEach);
		this.#due.replace(all, notes);
		this.#lookAt = performance.now() + Math.max(looks.everyMs, (performance.now() - startedAt) / looks.part);
	}

	async #takeOf(wanted: readonly LeaseRequest[], now: string): Promise<readonly Due[]> {
		const {notes} = this.#due;
		const ids = wanted.map(({endpointId}) => endpointId);
		const found = await this.#database.begin(async sql => {
			const locked = await sql<{id: string}[]>`
				select id from endpoints where id = any(${ids}::text[]) and is_active order by id for no key update skip locked
			`;
			const mine = new Set(locked.map(({id}) => id));
			const own = wanted.filter(({endpointId}) => mine.has(endpointId));
			const rows = own.length === 0 ? [] : await holdFirst(sql, own, {now, ...this.#holder});
			return new Map(own.map(({endpointId}) => [endpointId, rows.filter(row => row.endpointId === endpointId)]));
		});
		const taken: Due[] = [];
		for (const {endpointId, most, floor} of wanted) {
			const rows = found.get(endpointId);
			const due = rows?.filter(({isTaken}) => isTaken) ?? [];
			const next = rows?.find(({isFree, isTaken}) => isFree && !isTaken)?.at;
			if (rows) {
				const lowest = new Date(Date.parse(now) - floorMs).toISOString();
				this.#due.learn(
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

/** Of each user the longest due, the longest due first, then the next of each. */
function inTurn(due: readonly Due[]): readonly Due[] {
	const byTime = due.toSorted((one, other) => compare(one.delivery, other.delivery));
	const counts = new Map<string, number>();
	const rounds = byTime.map(each => {
		const round = counts.get(each.endpoint.userId) ?? 0;
		counts.set(each.endpoint.userId, round + 1);
		return {each, round};
	});
	return rounds.toSorted((one, other) => one.round - other.round).map(({each}) => each);
}

function compare(one: Delivery, other: Delivery): number {
	const [a, b] = [one.nextAttemptAt ?? '', other.nextAttemptAt ?? ''];
	return a < b ? -1 : a > b ? 1 : 0;
}

/** Who holds deliveries, and how long. */
type Holder = {
	readonly nodeId: string;
	/** An interval. */
	readonly lease: string;
};

/** Rows of an endpoint that are looked at: some may be held. It is no parameter, for the planner must know that there are few. */
const headLength = `${2 * maxPerEndpoint + 1}`;

/** What was found of an endpoint. */
type HeadRow = StoredDue & {
	readonly endpointId: string;
	readonly at: string;
	/** Whether nobody held it. */
	readonly isFree: boolean;
	/** Whether it is held now; else there is no more of it here. */
	readonly isTaken: boolean;
	/** As in `Wish`, for the next time. */
	readonly heldFrom: number;
};

/** Of each active endpoint with unfinished deliveries, when the first of them is due. It looks at no more than that. */
async function firstOfEach(sql: Sql): Promise<readonly DueEndpoint[]> {
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
 * The first deliveries of each endpoint. Those are held from now on that nobody holds and that are due, as far as they are wanted
 * and the endpoint has fewer than it may have. The rows of the endpoints must be locked by an earlier statement.
 */
async function holdFirst(
	sql: Transaction,
	wanted: readonly LeaseRequest[],
	{now, nodeId, lease}: Holder & {readonly now: string},
): Promise<readonly HeadRow[]> {
	const ids = wanted.map(({endpointId}) => endpointId);
	const floors = wanted.map(({floor}) => floor);
	const heldFrom = wanted.map(each => each.heldFrom);
	const most = wanted.map(each => each.most);
	return sql<HeadRow[]>`
		with wanted as materialized (
			select
				w.endpoint_id, w.floor, least(w.most, ${maxPerEndpoint} - held.count) as most,
				floor(extract(epoch from coalesce(held.first, clock_timestamp() + ${lease}::interval)) * 1000)::bigint as held_from
			from unnest(${ids}::text[], ${floors}::text[], ${heldFrom}::bigint[], ${most}::int[])
				as w (endpoint_id, floor, held_from, most)
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

/** Holds one that is not in the log, whoever held it. */
async function holdDelivery(sql: Transaction, id: string, {nodeId, lease}: Holder): Promise<StoredDue | undefined> {
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

/** Holds pending deliveries of which no attempt is to follow, and that nobody holds. They do not count among those of an endpoint. */
async function holdInterrupted(
	sql: Transaction,
	most: number,
	{nodeId, lease}: Holder,
): Promise<readonly StoredDelivery[]> {
	return sql<StoredDelivery[]>`
		with free as (
			select d.id from deliveries d
			where d.next_attempt_at is null and d.status = 'pending'
			and not exists (select from leases l where l.delivery_id = d.id and l.until > now())
			limit ${most}
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
