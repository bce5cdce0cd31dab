import type {AnySql, Transaction} from '../connection.js';
import type {Database} from '../database.js';

/** What was deleted of deliveries. */
export type Gone = {
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
export async function takeOff(sql: Transaction, gone: readonly Gone[]): Promise<void> {
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
export async function leaveBodies(sql: Transaction, left: ReturnType<Transaction>): Promise<void> {
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
export async function foldCounts(database: Database): Promise<void> {
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
