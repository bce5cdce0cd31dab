import {setTimeout as sleep} from 'node:timers/promises';
import type {DumpRows, DumpStore, DumpTable} from '../../dump.js';
import type {SourceStore} from '../../port.js';
import type {Database} from '../database.js';
import {loadMessages} from '../dump/load-messages.js';
import {loaders} from '../dump/loaders.js';
import {counts, type DumpFound, type DumpPart, selects} from '../dump/queries.js';

/** How many rows are handed over at once. */
const rowsAtOnce = 128;

/** Between looks whether what was deleted is gone. */
const pauseMs = 100;

export function postgresDump(database: Database, sources: SourceStore): DumpStore {
	return {
		count: async table => {
			const [found] = await database.run(async sql => counts[table](sql));
			return found?.count ?? 0;
		},
		read: (table, skip) => read(database, table, skip),
		load: async (table, rows, readSource) => {
			if (table === 'messages') {
				await loadMessages(database, rows as ReadonlyArray<DumpRows['messages']>, {sources, readSource});
			} else {
				await database.begin(async sql => loaders[table as Exclude<DumpTable, 'messages'>](sql, rows as never));
			}
		},
		mark: async () => {
			await settled(database);
			const [mark] = await database.run(
				sql => sql<{from: string; isWhole: boolean}[]>`select source as from, is_whole as "isWhole" from copy_mark`,
			);
			return mark;
		},
		setMark: async ({from, isWhole}) => {
			await database.run(
				sql => sql`
					insert into copy_mark (source, is_whole) values (${from}, ${isWhole})
					on conflict (is_only) do update set source = excluded.source, is_whole = excluded.is_whole
				`,
			);
		},
	};
}

/** Each part is a statement of its own, since long ones are cancelled. */
async function* read<T extends DumpTable>(
	database: Database,
	table: T,
	skip: number,
): AsyncGenerator<ReadonlyArray<DumpRows[T]>> {
	let part: DumpPart = {id: '', place: 0, skip, limit: rowsAtOnce};
	for (let isLast = false; !isLast; ) {
		const found: readonly DumpFound<DumpRows[T]>[] = await database.run(async sql => selects[table](sql, part));
		const last = found.at(-1);
		part = {...part, id: last?.id ?? '', place: last?.place ?? 0, skip: 0};
		isLast = found.length < rowsAtOnce;
		if (last) {
			yield found.map(({row}) => row);
		}
	}
}

/** What was deleted goes bit by bit, and the sweep of this node takes away what others left. */
async function settled(database: Database): Promise<void> {
	const left = async () => {
		const [found] = await database.run(
			sql => sql<{isLeft: boolean}[]>`
				select exists (select from removals) or exists (select from departures) as "isLeft"
			`,
		);
		return found?.isLeft ?? false;
	};
	while (await left()) {
		await sleep(pauseMs);
	}
}
