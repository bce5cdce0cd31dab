import type {Database} from '../database.js';
import {locks} from '../locks.js';
import {leaveBodies} from './counts.js';

/** Days for which the log has a part before they come. */
const daysAhead = 7;

/** A part of the log cannot be dropped while somebody reads the log: others must not wait behind. */
const patience = '200ms';

/** The log has a part for each day on which deliveries were finished, made ahead and dropped as a whole. */
export class LogDays {
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
