import {setTimeout as sleep} from 'node:timers/promises';
import type {Log} from '../../lib/log.js';
import type {Database} from './database.js';
import {finishDeparture} from './departures.js';
import {removeMessages} from './removals.js';

/** How often a node looks for what others left behind when they ended. */
const everyMs = 30_000;

/** Large mail that began to come in so long ago is not on its way any more. */
const abandonedAfter = '1 day';

/** Has this node take away what others left, until the result is called: deleted messages, and mail that never came to its end. */
export function startSweep(database: Database, log: Log): () => Promise<void> {
	const ending = new AbortController();
	const sweeping = sweepUntil(ending.signal, database, log);
	return async () => {
		ending.abort();
		await sweeping;
	};
}

async function sweepUntil(signal: AbortSignal, database: Database, log: Log): Promise<void> {
	while (!signal.aborted) {
		await sweep(signal, database).catch(error => {
			log.warn({err: error}, 'Removing deleted data failed; retrying');
		});
		await sleep(everyMs, undefined, {signal, ref: false}).catch(() => {});
	}
}

async function sweep(signal: AbortSignal, database: Database): Promise<void> {
	const leaving = await database.run(
		sql => sql<{id: string}[]>`select id from departures order by kind = 'user', since`,
	);
	for (const {id} of leaving) {
		await database.whole(async begin => finishDeparture(begin, id, signal));
	}

	const left = await database.run(sql => sql<{inboxId: string}[]>`select inbox_id as "inboxId" from removals`);
	for (const {inboxId} of left) {
		await database.whole(async begin => removeMessages(begin, inboxId, signal));
	}

	await database.run(
		sql => sql`
			with gone as (delete from sources where staged_at < now() - ${abandonedAfter}::interval returning id)
			delete from source_chunks using gone where source_id = gone.id
		`,
	);
}
