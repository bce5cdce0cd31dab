import type {Transaction} from './connection.js';
import type {Begin} from './database.js';
import {deleteInboxes, removeMailOf} from './delete-inboxes.js';
import {removeDeliveries} from './deliveries/retention.js';

type Departure = {readonly id: string; readonly kind: 'user' | 'team' | 'endpoint'; readonly userId: string};

/** How many rows go in one transaction, so that it is short. */
const some = 200;

/**
 * Takes away, bit by bit, what belongs to a user (also of teams and endpoints), a team or an endpoint that is out of sight. Whoever
 * puts it out of sight writes that down in the same transaction, in `departures`. The signal ends it between two bits.
 */
export async function finishDeparture(begin: Begin, id: string, signal?: AbortSignal): Promise<void> {
	const departures = await begin(
		async sql => sql<Departure[]>`
			select id, kind, user_id as "userId" from departures
			where id = ${id} or user_id = (select id from departures where id = ${id} and kind = 'user')
			order by kind = 'user'
		`,
	);
	for (const departure of departures) {
		while (!signal?.aborted && !(await steps[departure.kind](begin, departure, signal))) {}
	}
}

/** Each takes some of what belongs there, and resolves to whether nothing is left. */
const steps: Readonly<
	Record<Departure['kind'], (begin: Begin, departure: Departure, signal?: AbortSignal) => Promise<boolean>>
> = {
	/** Its inboxes stay with their owners. */
	team: async (begin, {id}) =>
		begin(async sql => {
			const unlinked = await sql`
				update inboxes set team_id = null, row = row || '{"teamId": null}'
				where id in (select id from inboxes where team_id = ${id} order by id limit ${some} for no key update)
			`;
			return unlinked.count < some && end(sql, id);
		}),
	endpoint: async (begin, {id}) => (await removeDeliveries(begin, [id])) && begin(async sql => end(sql, id)),
	user: async (begin, {id}, signal) => {
		const inboxes = await begin(async sql => {
			const own = await sql<{id: string}[]>`select id from inboxes where owner_id = ${id} order by id limit ${some}`;
			return deleteInboxes(
				sql,
				own.map(inbox => inbox.id),
			);
		});
		await removeMailOf(begin, inboxes, signal);
		return (
			inboxes.length === 0 &&
			begin(async sql => {
				await sql`delete from users where id = ${id}`;
				return end(sql, id);
			})
		);
	},
};

async function end(sql: Transaction, id: string): Promise<true> {
	await sql`delete from departures where id = ${id}`;
	return true;
}
