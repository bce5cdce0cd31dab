import {setTimeout as sleep} from 'node:timers/promises';
import type {Log} from '../../../lib/log.js';
import type {Database} from '../database.js';
import {foldCounts} from './counts.js';
import type {LogDays} from './log-days.js';
import {removeOrphans} from './retention.js';

const foldEveryMs = 1000;

/** The rest is done by whichever node comes first after so long. */
const restEvery = '1 hour';

/** Has this node do what is to be done with deliveries from time to time, until the result is called. */
export function startDeliveryDuties(
	database: Database,
	{days, log}: {readonly days: LogDays; readonly log: Log},
): () => Promise<void> {
	const ending = new AbortController();
	const working = workUntil(ending.signal, database, days, log);
	return async () => {
		ending.abort();
		await working;
	};
}

async function workUntil(signal: AbortSignal, database: Database, days: LogDays, log: Log): Promise<void> {
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
