import type {Log} from '../../../lib/log.js';
import type {DeliveryLogLimits} from '../../port.js';
import {type Begin, background, type Database, locks, runPeriodically} from '../session/database.js';
import type {AnySql, Fragment, Transaction} from '../session/session.js';

const foldEveryMs = 1000;

/** Interval of the other tasks, which only one node runs. */
const otherTasksEvery = '1 hour';

/** Starts the periodic maintenance of deliveries. The returned function stops it and resolves when it has ended. */
export function startDeliveryMaintenance(
	database: Database,
	{partitions, log}: {readonly partitions: LogPartitions; readonly log: Log},
): () => Promise<void> {
	const maintain = async () => {
		await foldCounts(database);
		if (await claimOtherTasks(database)) {
			await partitions.prepare();
			await database.run(sql => sql`delete from leases where until < now() - interval '1 hour'`);
			await database.whole(background, removeOrphans);
		}
	};
	return runPeriodically(maintain, foldEveryMs, error =>
		log.warn({err: error}, 'Webhook delivery maintenance failed; retrying'),
	);
}

async function claimOtherTasks(database: Database): Promise<boolean> {
	const claimed = await database.run(
		sql => sql`
			insert into periodic_tasks (name, started_at) values ('deliveries', now())
			on conflict (name) do update set started_at = now() where periodic_tasks.started_at <= now() - ${otherTasksEvery}::interval
		`,
	);
	return claimed.count > 0;
}

/** Deliveries deleted per transaction, so that it stays short. */
const deliveriesPerTransaction = 1000;

/** Lifetime of the floors: a delivery that was retried for long is finished late, below them. */
const floorLifetimeMs = 10 * 60_000;

/**
 * The highest deleted place in the log of each endpoint, as far as this node knows. Queries start after it and skip deleted
 * rows.
 */
export class LogFloors {
	readonly #floors = new Map<string, number>();
	#expiresAt = 0;

	of(endpointId: string): number {
		if (performance.now() >= this.#expiresAt) {
			this.#floors.clear();
			this.#expiresAt = performance.now() + floorLifetimeMs;
		}

		return this.#floors.get(endpointId) ?? -1;
	}

	/** Records that the rows with these places, the lowest of the endpoint, were deleted. */
	raise(endpointId: string, places: readonly number[]): void {
		this.#floors.set(endpointId, Math.max(this.of(endpointId), ...places));
	}
}

/** Deletes finished deliveries of an endpoint that are too many or too old. */
export async function pruneLog(
	begin: Begin,
	endpointId: string,
	{keep, since}: DeliveryLogLimits,
	floors: LogFloors,
): Promise<void> {
	let gone: readonly (DeletedDelivery & {readonly place: number})[];
	do {
		gone = await deleteBatch(
			begin,
			async sql => sql`
				with old as (
					select id, day from finished_deliveries
					where endpoint_id = ${endpointId} and place > ${floors.of(endpointId)} and (
						created_at < ${since} or place <= (
							select place from finished_deliveries where endpoint_id = ${endpointId}
							order by place desc limit 1 offset ${keep}
						)
					) order by place limit ${deliveriesPerTransaction}
				)
				delete from finished_deliveries f using old where f.id = old.id and f.day = old.day ${returning(sql)}, place
			`,
		);
		floors.raise(
			endpointId,
			gone.map(({place}) => place),
		);
	} while (gone.length === deliveriesPerTransaction);
}

/** Drops the response bodies of the oldest deliveries of an endpoint until the others are within the limit. */
export async function dropResponses(
	begin: Begin,
	endpointId: string,
	{responseLength}: Pick<DeliveryLogLimits, 'responseLength'>,
	floors: LogFloors,
): Promise<void> {
	await begin(
		async sql => sql`
			with answered as (
				select id, place, response from deliveries where endpoint_id = ${endpointId} and response > 0
				union all
				select id, place, response from finished_deliveries
				where endpoint_id = ${endpointId} and place > ${floors.of(endpointId)} and response > 0
			), summed as (
				select id, sum(response) over (order by place desc) as total from answered
			), dropped as (
				select id from summed where total > ${responseLength}
			), unfinished as (
				update deliveries d set response = 0, row = jsonb_set(row, '{responseBody}', 'null')
				from dropped where d.id = dropped.id
			)
			update finished_deliveries f set response = 0, row = jsonb_set(row, '{responseBody}', 'null')
			from dropped where f.id = dropped.id and f.endpoint_id = ${endpointId}
		`,
	);
}

/** Deletes the first finished deliveries of a user until the others weigh at most `keep`. */
export async function trimLog(begin: Begin, userId: string, keep: number): Promise<void> {
	const remove: Remove<DeletedDelivery> = async sql => {
		const [user] = await sql<{excess: number}[]>`
			select (finished + ${unfolded(sql, 'finished')})::bigint - ${keep} as excess
			from users where id = ${userId} for no key update
		`;
		return (user?.excess ?? 0) <= 0
			? []
			: sql<DeletedDelivery[]>`
				with first as (
					select id, day, weight, finished_place from finished_deliveries where user_id = ${userId}
					order by finished_place limit ${deliveriesPerTransaction}
				), old as (
					select id, day, sum(weight) over (order by finished_place) - weight as before from first
				)
				delete from finished_deliveries f using old
				where f.id = old.id and f.day = old.day and old.before < ${user?.excess ?? 0} ${returning(sql)}
			`;
	};
	while ((await deleteBatch(begin, remove)).length > 0) {}
}

/**
 * Deletes a batch of deliveries of deleted endpoints. Resolves to true if none was left. Rows that another node is deleting
 * count as left: `for update` waits for them.
 */
export async function removeDeliveries(begin: Begin, endpointIds: readonly string[]): Promise<boolean> {
	const unfinished = await deleteBatch(
		begin,
		async sql => sql<DeletedDelivery[]>`
			with bit as (select id from deliveries where endpoint_id = any(${endpointIds}::text[]) limit ${deliveriesPerTransaction} for update)
			delete from deliveries d using bit where d.id = bit.id ${returning(sql, true)}
		`,
	);
	const finished = await deleteBatch(
		begin,
		async sql => sql<DeletedDelivery[]>`
			with bit as (
				select id, day from finished_deliveries where endpoint_id = any(${endpointIds}::text[]) limit ${deliveriesPerTransaction} for update
			)
			delete from finished_deliveries f using bit where f.id = bit.id and f.day = bit.day ${returning(sql)}
		`,
	);
	return unfinished.length + finished.length === 0;
}

/** Deletes deliveries that were stored while their endpoint was being deleted. */
async function removeOrphans(begin: Begin): Promise<void> {
	const orphans = await begin(
		async sql => sql<{id: string}[]>`
			select endpoint_id as id from (
				select endpoint_id from deliveries group by endpoint_id
				union select endpoint_id from finished_deliveries group by endpoint_id
			) d where not exists (select from endpoints e where e.id = d.endpoint_id)
		`,
	);
	const ids = orphans.map(({id}) => id);
	while (!(await removeDeliveries(begin, ids))) {}
}

type Remove<G extends DeletedDelivery> = (sql: Transaction) => Promise<readonly G[]>;

async function deleteBatch<G extends DeletedDelivery>(begin: Begin, remove: Remove<G>): Promise<readonly G[]> {
	return begin(async sql => {
		const gone = await remove(sql);
		await uncount(sql, gone);
		return gone;
	});
}

function returning(sql: Transaction, mayBeUnfinished = false) {
	const isUnfinished = mayBeUnfinished ? sql`next_attempt_at is not null or status = 'pending'` : sql`false`;
	return sql`returning user_id as "userId", body_id as "bodyId", weight, ${isUnfinished} as "isUnfinished"`;
}

/** Number of days for which partitions are created ahead. */
const daysAhead = 7;

/** Lock timeout for dropping a partition: a running reader must not make other statements queue behind the drop. */
const dropLockTimeout = '200ms';

/**
 * Partitions of the log, one for each day on which deliveries were finished. They are created ahead and dropped as a whole.
 */
export class LogPartitions {
	readonly #database: Database;
	#oldest = '';

	constructor(database: Database) {
		this.#database = database;
	}

	/** Creates the partitions for today and the next days. */
	async prepare(): Promise<void> {
		await this.#database.begin(background, async sql => {
			await sql`select pg_advisory_xact_lock(${locks.logPartitions})`;
			await sql.unsafe(`
				do $$
				declare
					today date := (now() at time zone 'utc')::date;
					name text;
				begin
					for ahead in 0..${daysAhead} loop
						name := 'finished_deliveries_' || to_char(today + ahead, 'YYYYMMDD');
						if to_regclass(name) is null then
							execute format('create table %I (like finished_deliveries including defaults)', name);
							execute format(
								'alter table finished_deliveries attach partition %I for values from (%L) to (%L)',
								name, today + ahead, today + ahead + 1
							);
						end if;
					end loop;
				end $$
			`);
		});
		[this.#oldest = ''] = await this.#partitions();
	}

	/** Drops the partitions of past days before `day`. One that is in use stays until the next call. */
	async dropBefore(day: string): Promise<void> {
		if (this.#oldest === '' || this.#oldest >= day) {
			return;
		}

		const partitions = await this.#partitions();
		for (const old of partitions.filter(each => each < day)) {
			await this.#drop(old);
		}

		[this.#oldest = ''] = await this.#partitions();
	}

	async #drop(day: string): Promise<void> {
		await this.#database.begin(background, async sql => {
			const [granted] = await sql<{isMine: boolean}[]>`
				select pg_try_advisory_xact_lock(${locks.logPartitions}) and ${day} < (now() at time zone 'utc')::date::text as "isMine"
			`;
			const name = nameOf(day);
			const [there] = await sql<{isThere: boolean}[]>`select to_regclass(${name}) is not null as "isThere"`;
			if (!granted?.isMine || !there?.isThere) {
				return;
			}

			await sql`select set_config('lock_timeout', ${dropLockTimeout}, true)`;
			await sql`lock table finished_deliveries in access exclusive mode`;
			await sql`
				insert into delivery_counts (user_id, unfinished, finished)
				select user_id, 0, -sum(weight) from ${sql(name)} group by user_id
			`;
			await releaseBodies(
				sql,
				sql`select body_id, count(*)::int as uses from ${sql(name)} where body_id is not null group by body_id`,
			);
			await sql`drop table ${sql(name)}`;
		});
	}

	/** Days with a partition (`YYYY-MM-DD`), oldest first. */
	async #partitions(): Promise<readonly string[]> {
		const rows = await this.#database.run(
			sql => sql<{name: string}[]>`
				select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
				where i.inhparent = 'finished_deliveries'::regclass order by c.relname
			`,
		);
		return rows.map(({name}) => name.replace(/^.*_(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3'));
	}
}

function nameOf(day: string): string {
	return `finished_deliveries_${day.replaceAll('-', '')}`;
}

/** A deleted delivery. */
type DeletedDelivery = {
	readonly userId: string;
	readonly bodyId: string | null;
	readonly weight: number;
	readonly isUnfinished: boolean;
};

/** Older rows of `delivery_counts` are folded and deleted. Skipping them avoids reading deleted index entries. */
const foldedWithin = '1 minute';

/** SQL for the change of a user's counter that is not yet folded into the row in `users`. */
export function unfolded(sql: AnySql, column: 'unfinished' | 'finished') {
	return sql`coalesce((
		select sum(${sql(column)}) from delivery_counts c
		where c.user_id = users.id and c.at > now() - ${foldedWithin}::interval
	), 0)`;
}

/** Updates the counters of the users, and deletes bodies that no other delivery uses. */
async function uncount(sql: Transaction, gone: readonly DeletedDelivery[]): Promise<void> {
	const counts = new Map<string, {unfinished: number; finished: number}>();
	const uses = new Map<string, number>();
	for (const {userId, bodyId, weight, isUnfinished} of gone) {
		const count = counts.get(userId) ?? {unfinished: 0, finished: 0};
		count[isUnfinished ? 'unfinished' : 'finished'] -= weight;
		counts.set(userId, count);
		if (bodyId !== null) {
			uses.set(bodyId, 1 + (uses.get(bodyId) ?? 0));
		}
	}

	if (counts.size > 0) {
		const rows = [...counts].map(([user_id, count]) => ({user_id, ...count}));
		await sql`insert into delivery_counts ${sql(rows, 'user_id', 'unfinished', 'finished')}`;
	}

	if (uses.size > 0) {
		await releaseBodies(
			sql,
			sql`select * from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::int[]) as g (body_id, uses)`,
		);
	}
}

/** Decrements the use counts of bodies and deletes unused ones. `released` selects `body_id` and `uses`. */
async function releaseBodies(sql: Transaction, released: Fragment): Promise<void> {
	const uses = await sql<{id: string; uses: number}[]>`
		with gone as (${released}), locked as materialized (
			select b.id, g.uses from bodies b join gone g on g.body_id = b.id order by b.id for update of b
		)
		update bodies b set uses = b.uses - locked.uses from locked where b.id = locked.id
		returning b.id, b.uses
	`;
	const unused = uses.filter(body => body.uses <= 0).map(({id}) => id);
	if (unused.length > 0) {
		await sql`delete from bodies where id = any(${unused}::text[])`;
	}
}

/**
 * Folds `delivery_counts` into the rows of the users. Each change is first inserted as a row: updating the user each time
 * would leave many dead row versions, which stay as long as an old transaction may see them.
 */
async function foldCounts(database: Database): Promise<void> {
	await database.run(
		sql => sql`
			with gone as (
				delete from delivery_counts c using (select ctid from delivery_counts for update skip locked) free
				where c.ctid = free.ctid returning c.*
			), sums as materialized (
				select user_id, sum(unfinished) as unfinished, sum(finished) as finished from gone group by user_id
			), locked as materialized (
				select u.id from users u join sums on sums.user_id = u.id order by u.id for no key update of u
			)
			update users u set deliveries = u.deliveries + sums.unfinished, finished = u.finished + sums.finished
			from sums join locked on locked.id = sums.user_id where u.id = locked.id
		`,
	);
}
