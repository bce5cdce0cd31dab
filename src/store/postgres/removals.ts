import type {Transaction} from './connection.js';
import type {Begin} from './database.js';
import {deleteWithMessages, lockSources} from './source-deletes.js';

/** Messages that one transaction takes away, so that it is short. */
const messagesAtOnce = 1000;

type Bit = {
	/** Whether nothing is left, as far as is known. */
	readonly isOver: boolean;
	/** What came up to this place is gone. */
	readonly upTo: number;
};

/**
 * Takes away, bit by bit, the messages of an inbox that are out of sight: because it is gone, or was cleared. Whoever puts them
 * out of sight writes down in the same transaction, in `removals`, up to which place; they count for the owner until they are gone.
 */
export async function removeMessages(begin: Begin, inboxId: string, signal?: AbortSignal): Promise<void> {
	let bit: Bit = {isOver: false, upTo: 0};
	while (!bit.isOver && !signal?.aborted) {
		const behind = bit.upTo;
		bit = await begin(async sql => removeBit(sql, inboxId, behind));
	}
}

/** Several nodes may be at it: they take turns. */
async function removeBit(sql: Transaction, inboxId: string, behind: number): Promise<Bit> {
	await sql`
		select from users where id = (select owner_id from removals where inbox_id = ${inboxId}) for no key update
	`;
	const [removal] = await sql<{upTo: number; ownerId: string}[]>`
		select up_to as "upTo", owner_id as "ownerId" from removals where inbox_id = ${inboxId} for update
	`;
	if (!removal) {
		return {isOver: true, upTo: behind};
	}

	const places = await sql<{place: number}[]>`
		select place from messages where inbox_id = ${inboxId} and place > ${behind} and place <= ${removal.upTo}
		order by place limit ${messagesAtOnce}
	`;
	const isOver = places.length < messagesAtOnce;
	const upTo = isOver ? removal.upTo : (places.at(-1)?.place ?? behind);
	const bit = sql`inbox_id = ${inboxId} and place > ${behind} and place <= ${upTo}`;
	await lockSources(sql, sql`select source_id from messages where ${bit}`);
	await sql`
		with gone as (
			delete from messages where ${bit} returning id, source_id, weight, (row->>'size')::bigint as size
		), counted as (select sum(weight) as messages, sum(size) as bytes from gone), ${deleteWithMessages(sql)}
		update users set messages = users.messages - counted.messages, bytes = users.bytes - counted.bytes
		from counted where users.id = ${removal.ownerId} and counted.messages is not null
	`;
	if (isOver) {
		await sql`delete from removals where inbox_id = ${inboxId}`;
	}

	return {isOver, upTo};
}
