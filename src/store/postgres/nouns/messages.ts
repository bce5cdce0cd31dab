import {conditionsOf, type SummaryFilter} from '../../../domain/mail/filter.js';
import type {Message} from '../../../domain/mail/message.js';
import {Slices} from '../../../lib/slices.js';
import type {MessageStore, SourceStore} from '../../port.js';
import {scan, scannedAtOnce} from '../../rules/messages.js';
import {batched} from '../batched.js';
import type {Transaction} from '../connection.js';
import type {Begin, Database} from '../database.js';
import type {EvictionLooks} from '../evictions/looks.js';
import {GroupCommit, type GroupCommitOptions} from '../group-commit.js';
import {allMailPage, borderOf, lastPlaceOf, messagePage, messagesBetween, type PlacedMessage} from '../message-rows.js';
import {removeMessages} from '../removals.js';
import {deleteWithMessages, lockSources} from '../source-deletes.js';

export function postgresMessages(
	database: Database,
	sources: Pick<SourceStore, 'discard'>,
	options: GroupCommitOptions & {readonly looks: EvictionLooks},
): MessageStore {
	const commit = new GroupCommit(database, options);
	const slices = new Slices();
	const get = batched<string, Message | undefined>(async ids => {
		const rows = await database.run(
			sql => sql<PlacedMessage[]>`
				select m.row from messages m join inboxes on inboxes.id = m.inbox_id
				where m.id = any(${ids}) and m.place > inboxes.cleared_place
			`,
		);
		const byId = new Map(rows.map(({row}) => [row.id, row]));
		return ids.map(id => byId.get(id));
	});
	const remove = batched<{readonly id: string; readonly begin: Begin}, boolean>(async asked => {
		const ids = asked.map(({id}) => id);
		const gone = await asked[0]?.begin(async sql => deleteMessages(sql, ids));
		return ids.map(id => gone?.delete(id) ?? false);
	});
	const stateOf = batched<string, InboxState | undefined>(async ids => {
		const rows = await database.run(
			sql => sql<InboxState[]>`
				select id, messages, last_place as "lastPlace", evicted from inboxes where id = any(${ids})
			`,
		);
		const byId = new Map(rows.map(row => [row.id, row]));
		return ids.map(id => byId.get(id));
	});
	return {
		add: async mail => {
			try {
				if (!(await commit.add(mail))) {
					await sources.discard(mail.source);
				}
			} catch (error) {
				await sources.discard(mail.source).catch(() => {});
				throw error;
			}
		},
		get,
		list: async (inboxId, range, page) => {
			const rows = await database.run(async sql => messagePage(sql, {inboxId, range}, page));
			return rows.map(({row}) => row);
		},
		listAll: async (scope, now, range, limit) => {
			const rows = await database.run(async sql => allMailPage(sql, scope, now, range, limit));
			return rows.map(({row}) => row);
		},
		walk: (inboxId, filter, seen) => walk(database, slices, inboxId, filter, seen),
		newest: async inboxId => (await stateOf(inboxId))?.lastPlace ?? 0,
		count: async inboxId => (await stateOf(inboxId))?.messages ?? 0,
		evicted: async inboxId => (await stateOf(inboxId))?.evicted ?? 0,
		delete: async id => database.whole(async begin => remove({id, begin})),
		deleteAll: async (inboxId, upTo) => deleteAll(database, inboxId, upTo),
		nextEviction: async () => options.looks.next(),
		evict: async now => options.looks.evict(now),
	};
}

type InboxState = {
	readonly id: string;
	readonly messages: number;
	readonly lastPlace: number;
	readonly evicted: number;
};

/** Reads some at a time; the texts, which can be many and long, are looked through in slices. */
async function* walk(
	database: Database,
	slices: Slices,
	inboxId: string,
	filter: SummaryFilter,
	seen?: number,
): AsyncGenerator<readonly Message[]> {
	const conditions = conditionsOf(filter);
	const asked = {inboxId, range: filter, seen};
	const behind = await database.run(async sql => borderOf(sql, asked));
	let before = Number.MAX_SAFE_INTEGER;
	for (let isLast = false; !isLast; ) {
		const between = {behind, before, limit: scannedAtOnce};
		const rows = await database.run(async sql => messagesBetween(sql, asked, between));
		before = rows.at(-1)?.place ?? 0;
		isLast = rows.length < scannedAtOnce;
		const {matches} = await slices.run(inboxId, scan(rows.map(({row}) => row).values(), conditions));
		yield matches;
	}
}

/** Resolves to the ids of those that were there. */
async function deleteMessages(sql: Transaction, ids: readonly string[]): Promise<Set<string>> {
	const inboxIds = sql`select inbox_id from messages where id = any(${ids})`;
	const [, , , gone] = await Promise.all([
		sql`
			select from users where id in (select owner_id from inboxes where id in (${inboxIds}))
			order by id for no key update
		`,
		sql`select from inboxes where id in (${inboxIds}) order by id for no key update`,
		lockSources(sql, sql`select source_id from messages where id = any(${ids})`),
		sql<{id: string}[]>`
			with gone as (
				delete from messages m using inboxes
				where m.id = any(${ids}) and inboxes.id = m.inbox_id and m.place > inboxes.cleared_place
				returning m.id, m.inbox_id, m.source_id, m.weight, (m.row->>'size')::bigint as size, inboxes.owner_id
			), ${deleteWithMessages(sql)}, counted_inboxes as (
				update inboxes set messages = inboxes.messages - less.messages
				from (select inbox_id, count(*) as messages from gone group by inbox_id) as less
				where inboxes.id = less.inbox_id
			), counted_users as (
				update users set messages = users.messages - less.messages, bytes = users.bytes - less.bytes
				from (select owner_id, sum(weight) as messages, sum(size) as bytes from gone group by owner_id) as less
				where users.id = less.owner_id
			)
			select id from gone
		`,
	]);
	return new Set(gone.map(({id}) => id));
}

/** Puts all out of sight at once. */
async function deleteAll(database: Database, inboxId: string, last?: string): Promise<void> {
	await database.whole(async begin => {
		// What comes from now on stays, also when it comes before the inbox is locked.
		const upTo = await database.run(async sql => lastPlaceOf(sql, inboxId, last));
		await begin(async sql => {
			await Promise.all([
				sql`select from users where id = (select owner_id from inboxes where id = ${inboxId}) for no key update`,
				sql`
					with cleared as (
						update inboxes set cleared_place = ${upTo}, messages = (
							select count(*) from messages where inbox_id = ${inboxId} and place > ${upTo}
						)
						where id = ${inboxId} and messages > 0 and cleared_place < ${upTo} returning id, owner_id
					)
					insert into removals (inbox_id, owner_id, up_to) select id, owner_id, ${upTo}::bigint from cleared
					on conflict (inbox_id) do update set up_to = excluded.up_to
				`,
			]);
		});
		await removeMessages(begin, inboxId);
	});
}
