import {offsetOf} from '../../../contract/constants.js';
import {AppError} from '../../../domain/errors.js';
import type {CountedFault, Fault, FaultHit} from '../../../domain/faults/fault.js';
import type {FaultStore} from '../../port.js';
import type {AnySql} from '../connection.js';
import type {Database} from '../database.js';
import type {FaultCopy} from '../fault-copy.js';
import {FaultCounts} from '../fault-counts.js';
import {createHitLog} from '../fault-hits.js';

type Row = {readonly row: Fault};

export function postgresFaults(database: Database, copy: FaultCopy): FaultStore {
	const counts = new FaultCounts(database);
	const addHit = createHitLog(database);
	/** Counts and hits of this node that are on their way. */
	const underWay = new Set<Promise<unknown>>();
	const noting = async <T>(result: Promise<T>): Promise<T> => {
		underWay.add(result);
		return result.finally(() => underWay.delete(result));
	};
	const settled = async () => Promise.allSettled(underWay);
	/** With their counts, and in the order in which they were made. */
	const counted = async (inboxId: string | null, id?: string): Promise<readonly CountedFault[]> => {
		await settled();
		return database.run(
			sql => sql<CountedFault[]>`
				select row as fault, coalesce(c.seen, 0) as seen, coalesce(c.acted, 0) as acted
				from faults left join fault_counts c on c.fault_id = id and c.key = ''
				where ${id === undefined ? isOf(sql, inboxId) : sql`id = ${id}`}
				order by faults.place
			`,
		);
	};
	const changed = async () => copy.changed();
	return {
		create: async (fault, limit) =>
			database.inTurn(
				[fault.inboxId ?? 'the daemon'],
				async sql => {
					const {id, inboxId, expiresAt} = fault;
					await sql`select pg_advisory_xact_lock(hashtextextended(${`faults ${inboxId}`}, 0))`;
					const [inbox] =
						inboxId === null
							? [{ownerId: ''}]
							: await sql<{ownerId: string}[]>`
								select owner_id as "ownerId" from inboxes where id = ${inboxId} for key share
							`;
					if (!inbox) {
						throw new AppError('not_found', 'The inbox was deleted.');
					}

					const [faults] = await sql<{count: number}[]>`
						select count(*) from faults where ${isOf(sql, inboxId)}
					`;
					if (faults && faults.count >= limit) {
						const whose = inboxId === null ? 'The daemon' : 'The inbox';
						throw new AppError('too_many_faults', `${whose} has ${limit} faults, the maximum. Delete one first.`);
					}

					await sql`
						insert into faults (id, inbox_id, owner_id, expires_at, row)
						values (${id}, ${inboxId}, ${inbox.ownerId}, ${expiresAt}, ${sql.json(fault)})
					`;
				},
				changed,
			),
		get: async id => (await counted(null, id))[0],
		list: async inboxId => counted(inboxId),
		delete: async id =>
			database.inTurn(
				[],
				async sql => {
					const deleted = await sql`delete from faults where id = ${id}`;
					return deleted.count > 0;
				},
				changed,
			),
		deleteAll: async inboxId =>
			database.inTurn(
				[inboxId ?? 'the daemon'],
				async sql => {
					const deleted = await sql`delete from faults where ${isOf(sql, inboxId)}`;
					return deleted.count;
				},
				changed,
			),
		deleteExpired: async now =>
			database.inTurn(
				[],
				async sql => {
					const gone = await sql<Row[]>`
						with gone as (delete from faults where expires_at <= ${now} returning row, expires_at)
						select row from gone order by expires_at
					`;
					return gone.map(({row}) => row);
				},
				changed,
			),
		nextExpiry: async () => {
			const [next] = await database.run(sql => sql<{at: string | null}[]>`select min(expires_at) as at from faults`);
			return next?.at ?? undefined;
		},
		mayAct: stage => copy.mayAct(stage),
		of: inboxId => copy.of(inboxId),
		count: async (id, key, step) => noting(counts.count(id, key, step)),
		addHit: async hit => noting(addHit(hit)),
		hit: async id => {
			const [found] = await database.run(sql => sql<{row: FaultHit}[]>`select row from fault_hits where id = ${id}`);
			return found?.row;
		},
		hits: async (of, page) => {
			await settled();
			return database.run(async sql => {
				const those = 'faultId' in of ? sql`fault_id = ${of.faultId}` : isOf(sql, of.inboxId);
				const [rows, [counted]] = await Promise.all([
					sql<{row: FaultHit}[]>`
						select row from fault_hits where ${those} order by place desc
						limit ${page.limit} offset ${offsetOf(page)}
					`,
					sql<{total: number}[]>`select count(*) as total from fault_hits where ${those}`,
				]);
				return {rows: rows.map(({row}) => row), total: counted?.total ?? 0};
			});
		},
	};
}

/** As an index has it: of an inbox, or (null) of the daemon. */
function isOf(sql: AnySql, inboxId: string | null) {
	return inboxId === null ? sql`inbox_id is null` : sql`inbox_id = ${inboxId}`;
}
