import type {RateStore} from '../../port.js';
import type {Database} from '../database.js';

export function postgresRates(database: Database): RateStore {
	return {
		take: async (name, at, {count, windowMs}) =>
			database.inTurn([`rate ${name}`], async sql => {
				const now = Date.parse(at);
				const [row] = await sql<{taken: number[]}[]>`
					insert into rates (name, taken) values (${name}, '{}')
					on conflict (name) do update set taken = rates.taken
					returning taken
				`;
				const recent = (row?.taken ?? []).filter(time => time > now - windowMs);
				const blocking = recent.at(-count);
				if (blocking !== undefined) {
					return blocking + windowMs - now;
				}

				await sql`update rates set taken = ${[...recent, now]} where name = ${name}`;
				return 0;
			}),
	};
}
