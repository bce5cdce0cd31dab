import type {LogLimits} from '../../port.js';
import type {Transaction} from '../connection.js';
import type {Begin} from '../database.js';
import {type Gone, onTheWay, takeOff} from './counts.js';

/** Deliveries that one transaction deletes, so that it is short. */
const atOnce = 1000;

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
	{keep, since}: LogLimits,
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
					) order by place limit ${atOnce}
				)
				delete from finished_deliveries f using old where f.id = old.id and f.day = old.day ${returning(sql)}, place
			`,
		);
		floors.raise(
			endpointId,
			gone.map(({place}) => place),
		);
	} while (gone.length === atOnce);
}

/** Drops the responses of the endpoint that are too much, those of the oldest deliveries. */
export async function dropResponses(
	begin: Begin,
	endpointId: string,
	{responseLength}: Pick<LogLimits, 'responseLength'>,
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
					order by finished_place limit ${atOnce}
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
			with bit as (select id from deliveries where endpoint_id = any(${endpointIds}::text[]) limit ${atOnce} for update)
			delete from deliveries d using bit where d.id = bit.id ${returning(sql, true)}
		`,
	);
	const finished = await removeBit(
		begin,
		async sql => sql<Gone[]>`
			with bit as (
				select id, day from finished_deliveries where endpoint_id = any(${endpointIds}::text[]) limit ${atOnce} for update
			)
			delete from finished_deliveries f using bit where f.id = bit.id and f.day = bit.day ${returning(sql)}
		`,
	);
	return unfinished.length + finished.length === 0;
}

/** Deletes what came for endpoints in the moment in which they went. */
export async function removeOrphans(begin: Begin): Promise<void> {
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
