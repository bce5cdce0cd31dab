import type {Begin} from './database.js';
import {deleteInboxes, removeMailOf} from './delete-inboxes.js';
import {removeDeliveries} from './deliveries/retention.js';

type Departure = {readonly id: string; readonly kind: 'user' | 'team' | 'endpoint'; readonly userId: string};

/** How many rows go in one transaction, so that it is short. */
const some = 50;

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
	// A user may have very many endpoints, each with few deliveries.
	const endpoints = departures.filter(({kind}) => kind === 'endpoint').map(departure => departure.id);
	if (endpoints.length > 0) {
		await untilOver(async () => (await removeDeliveries(begin, endpoints)) && end(begin, endpoints), signal);
	}

	for (const departure of departures) {
		if (departure.kind === 'team') {
			await untilOver(async () => (await unlinkInboxes(begin, departure.id)) && end(begin, [departure.id]), signal);
		} else if (departure.kind === 'user') {
			await untilOver(async () => removeUser(begin, departure.id, signal), signal);
		}
	}
}

/** Takes steps until one resolves to true, since nothing is left. */
async function untilOver(step: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
	while (!signal?.aborted && !(await step())) {}
}

/** The inboxes of a team stay with their owners. */
async function unlinkInboxes(begin: Begin, teamId: string): Promise<boolean> {
	return begin(async sql => {
		const unlinked = await sql`
			update inboxes set team_id = null, row = row || '{"teamId": null}'
			where id in (select id from inboxes where team_id = ${teamId} order by id limit ${some} for no key update)
		`;
		return unlinked.count < some;
	});
}

async function removeUser(begin: Begin, id: string, signal?: AbortSignal): Promise<boolean> {
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
			await sql`delete from departures where id = ${id}`;
			return true;
		})
	);
}

async function end(begin: Begin, ids: readonly string[]): Promise<true> {
	await begin(async sql => sql`delete from departures where id = any(${ids}::text[])`);
	return true;
}
