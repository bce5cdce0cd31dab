import type {PendingBounce} from '../../../domain/mail/bounce.js';
import type {BounceStore} from '../../port.js';
import type {Database} from '../session/database.js';

/** Longer than any attempt to send a bounce. */
const leaseSeconds = 120;

export function postgresBounces(database: Database, nodeId: string): BounceStore {
	return {
		lease: async (now, {all, ofOne}) =>
			database.begin(async sql => {
				const rows = await sql<{row: PendingBounce}[]>`
					with due as (
						select id, owner_id, due_at, row_number() over (partition by owner_id order by due_at, id) as number
						from bounces where due_at <= ${now} and (leased_until is null or leased_until < now())
					), taken as (
						select id from bounces
						where id in (select id from due where number <= ${ofOne} order by due_at, id limit ${all})
						for update skip locked
					), leased as (
						update bounces set leased_by = ${nodeId}, leased_until = now() + make_interval(secs => ${leaseSeconds})
						where id in (select id from taken) and (leased_until is null or leased_until < now()) returning id, due_at, row
					)
					select row from leased order by due_at, id
				`;
				return rows.map(({row}) => row);
			}),
		finish: async id => {
			const gone = await database.run(
				sql => sql`delete from bounces where id = ${id} and leased_by = ${nodeId} and leased_until >= now()`,
			);
			return gone.count > 0;
		},
		release: async id => {
			await database.run(
				sql => sql`update bounces set leased_by = null, leased_until = null where id = ${id} and leased_by = ${nodeId}`,
			);
		},
		nextDue: async after => {
			const [next] = await database.run(
				sql => sql<{at: string | null}[]>`select min(due_at) as at from bounces where due_at > ${after}`,
			);
			return next?.at ?? undefined;
		},
	};
}
