import {setTimeout as sleep} from 'node:timers/promises';
import type {Log} from '../../../lib/log.js';
import type {ThrottledLogs} from '../../port.js';
import {type Begin, type Database, locks} from '../session/database.js';
import type {AnySql, Transaction} from '../session/session.js';

const foldEveryMs = 1000;

/** The rest is done by whichever node comes first after so long. */
const restEvery = '1 hour';

/** Has this node do what is to be done with deliveries from time to time, until the result is called. */
export function startDeliveryDuties(
	database: Database,
	{days, log}: {readonly days: LogPartitions; readonly log: Log},
): () => Promise<void> {
	const ending = new AbortController();
	const working = workUntil(ending.signal, database, days, log);
	return async () => {
		ending.abort();
		await working;
	};
}

async function workUntil(signal: AbortSignal, database: Database, days: LogPartitions, log: Log): Promise<void> {
	while (!signal.aborted) {
		try {
			await foldCounts(database);
			if (await isOurTurn(database)) {
				await days.prepare();
				await database.run(sql => sql`delete from leases where until < now() - interval '1 hour'`);
				await database.whole(removeOrphans);
			}
		} catch (error) {
			log.warn({err: error}, 'Webhook delivery maintenance failed; retrying');
		}

		await sleep(foldEveryMs, undefined, {signal, ref: false}).catch(() => {});
	}
}

async function isOurTurn(database: Database): Promise<boolean> {
	const claimed = await database.run(
		sql => sql`
			insert into duties (name, begun_at) values ('deliveries', now())
			on conflict (name) do update set begun_at = now() where duties.begun_at <= now() - ${restEvery}::interval
		`,
	);
	return claimed.count > 0;
}

/** Deliveries that one transaction deletes, so that it is short. */
const deliveriesPerTransaction = 1000;

/** How long a floor counts: what was tried again for long is finished late, below it. */
const floorsMs = 10 * 60_000;

/** The place in the log of each endpoint up to which all was deleted, as far as this node knows: it need not be passed over. */
export class LogFloors {
	readonly #floors = new Map<string, number>();
	#until = 0;

	of(endpointId: string): number {
		if (performance.now() >= this.#until) {
			this.#floors.clear();
			this.#until = performance.now() + floorsMs;
		}

		return this.#floors.get(endpointId) ?? -1;
	}

	/** After those with these places were deleted, the lowest ones. */
	raise(endpointId: string, places: readonly number[]): void {
		this.#floors.set(endpointId, Math.max(this.of(endpointId), ...places));
	}
}

/** Deletes the finished deliveries of the endpoint that are too many or too old. */
export async function pruneLog(
	begin: Begin,
	endpointId: string,
	{keep, since}: ThrottledLogs,
	floors: LogFloors,
): Promise<void> {
	let gone: readonly (Gone & {readonly place: number})[];
	do {
		gone = await removeBit(
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

/** Drops the responses of the endpoint that are too much, those of the oldest deliveries. */
export async function dropResponses(
	begin: Begin,
	endpointId: string,
	{responseLength}: Pick<ThrottledLogs, 'responseLength'>,
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

/** Deletes the deliveries of the user that were finished first, until the others weigh no more than so much. */
export async function trimLog(begin: Begin, userId: string, keep: number): Promise<void> {
	const remove: Remove<Gone> = async sql => {
		const [user] = await sql<{excess: number}[]>`
			select (finished + ${onTheWay(sql, 'finished')})::bigint - ${keep} as excess
			from users where id = ${userId} for no key update
		`;
		return (user?.excess ?? 0) <= 0
			? []
			: sql<Gone[]>`
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
	while ((await removeBit(begin, remove)).length > 0) {}
}

/**
 * Deletes some of what there is of endpoints that are gone, and resolves to whether nothing is left. What another node is about to
 * delete counts as left until that is done (`for update` waits, and then goes on to others).
 */
export async function removeDeliveries(begin: Begin, endpointIds: readonly string[]): Promise<boolean> {
	const unfinished = await removeBit(
		begin,
		async sql => sql<Gone[]>`
			with bit as (select id from deliveries where endpoint_id = any(${endpointIds}::text[]) limit ${deliveriesPerTransaction} for update)
			delete from deliveries d using bit where d.id = bit.id ${returning(sql, true)}
		`,
	);
	const finished = await removeBit(
		begin,
		async sql => sql<Gone[]>`
			with bit as (
				select id, day from finished_deliveries where endpoint_id = any(${endpointIds}::text[]) limit ${deliveriesPerTransaction} for update
			)
			delete from finished_deliveries f using bit where f.id = bit.id and f.day = bit.day ${returning(sql)}
		`,
	);
	return unfinished.length + finished.length === 0;
}

/** Deletes what came for endpoints in the moment in which they went. */
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

type Remove<G extends Gone> = (sql: Transaction) => Promise<readonly G[]>;

async function removeBit<G extends Gone>(begin: Begin, remove: Remove<G>): Promise<readonly G[]> {
	return begin(async sql => {
		const gone = await remove(sql);
		await takeOff(sql, gone);
		return gone;
	});
}

function returning(sql: Transaction, mayBeUnfinished = false) {
	return mayBeUnfinished
		? sql`returning user_id as "userId", body_id as "bodyId", weight,
			next_attempt_at is not null or status = 'pending' as "isUnfinished"`
		: sql`returning user_id as "userId", body_id as "bodyId", weight, false as "isUnfinished"`;
}

/** Days for which the log has a part before they come. */
const daysAhead = 7;

/** A part of the log cannot be dropped while somebody reads the log: others must not wait behind. */
const patience = '200ms';

/** The log has a part for each day on which deliveries were finished, made ahead and dropped as a whole. */
export class LogPartitions {
	readonly #database: Database;
	#oldest = '';

	constructor(database: Database) {
		this.#database = database;
	}

	/** Makes the parts for today and the next days. */
	async prepare(): Promise<void> {
		await this.#database.begin(async sql => {
			await sql`select pg_advisory_xact_lock(${locks.daysOfLog})`;
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
		[this.#oldest = ''] = await this.#days();
	}

	/** Drops the parts for days before that one, which has passed. What is in use stays until the next time. */
	async dropBefore(day: string): Promise<void> {
		if (this.#oldest === '' || this.#oldest >= day) {
			return;
		}

		const days = await this.#days();
		for (const old of days.filter(each => each < day)) {
			await this.#drop(old);
		}

		[this.#oldest = ''] = await this.#days();
	}

	async #drop(day: string): Promise<void> {
		await this.#database.begin(async sql => {
			const [granted] = await sql<{isMine: boolean}[]>`
				select pg_try_advisory_xact_lock(${locks.daysOfLog}) and ${day} < (now() at time zone 'utc')::date::text as "isMine"
			`;
			const name = nameOf(day);
			const [there] = await sql<{isThere: boolean}[]>`select to_regclass(${name}) is not null as "isThere"`;
			if (!granted?.isMine || !there?.isThere) {
				return;
			}

			await sql`select set_config('lock_timeout', ${patience}, true)`;
			await sql`lock table finished_deliveries in access exclusive mode`;
			await sql`
				insert into delivery_counts (user_id, unfinished, finished)
				select user_id, 0, -sum(weight) from ${sql(name)} group by user_id
			`;
			await leaveBodies(
				sql,
				sql`select body_id, count(*)::int as uses from ${sql(name)} where body_id is not null group by body_id`,
			);
			await sql`drop table ${sql(name)}`;
		});
	}

	/** For which there is a part, the oldest first, as in 2026-01-31. */
	async #days(): Promise<readonly string[]> {
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

/** What was deleted of deliveries. */
type Gone = {
	readonly userId: string;
	readonly bodyId: string | null;
	readonly weight: number;
	readonly isUnfinished: boolean;
};

/** A change that is older was added up, since that is done each second: what is deleted before need not be passed over. */
const untilFolded = '1 minute';

/** A sum of what is on its way to the row of the user in `users`. */
export function onTheWay(sql: AnySql, column: 'unfinished' | 'finished') {
	return sql`coalesce((
		select sum(${sql(column)}) from delivery_counts c
		where c.user_id = users.id and c.at > now() - ${untilFolded}::interval
	), 0)`;
}

/** Takes deleted deliveries off what their users have, and away the bodies that no other has. */
async function takeOff(sql: Transaction, gone: readonly Gone[]): Promise<void> {
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
		await leaveBodies(
			sql,
			sql`select * from unnest(${[...uses.keys()]}::text[], ${[...uses.values()]}::int[]) as g (body_id, uses)`,
		);
	}
}

/** `left`: a select of ids of bodies (`body_id`), and how many deliveries had them (`uses`). */
async function leaveBodies(sql: Transaction, left: ReturnType<Transaction>): Promise<void> {
	const uses = await sql<{id: string; uses: number}[]>`
		with gone as (${left}), locked as materialized (
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
 * Adds up what changed of the deliveries of users. Each change is a row of its own until then: if the row of the user changed
 * each time, its old versions would be in everybody's way while an old transaction may still see them.
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
