import type {FeedItem} from '../../domain/feed-item.js';
import {bytesOfSmall} from '../intake.js';
import type {Usage} from '../usage.js';
import type {Transaction} from './connection.js';
import {addDeliveries} from './deliveries/add.js';
import type {Waiting} from './deliveries/due-endpoints.js';
import {addEvents} from './event-log.js';
import {type AddedMail, type Locked, type LockedInbox, type MailOutcome, MailPlan} from './mail-plan.js';

/** What a transaction has written, which counts once it is committed. */
export type Written = {
	/** Of the transaction. */
	readonly xid: string;
	/** In the order of the mails. */
	readonly outcomes: readonly MailOutcome[];
	readonly news: readonly FeedItem[];
	/** When deliveries are due. */
	readonly due: readonly Waiting[];
};

/**
 * Writes mails with all that follows from them, in one transaction: few statements, however many there are. Locks are taken in the
 * order that all keep: users, inboxes, sources, each by id. A place in an inbox is taken with its lock, so that what has a lower
 * one was committed before.
 */
export async function writeMails(
	sql: Transaction,
	mails: readonly AddedMail[],
	{nodeId, inAll}: {readonly nodeId: string; readonly inAll: Usage},
): Promise<Written> {
	const plan = new MailPlan(await lock(sql, mails, inAll));
	const outcomes = mails.map(mail => plan.add(mail));
	const {xid, due} = plan.messages.length === 0 ? nothing : await write(sql, plan, nodeId);
	return {xid, outcomes, news: plan.news, due};
}

async function lock(sql: Transaction, mails: readonly AddedMail[], inAll: Usage): Promise<Locked> {
	const inboxIds = [...new Set(mails.flatMap(({messages}) => messages.map(({inboxId}) => inboxId)))];
	const largeIds = mails.flatMap(({source}) => (bytesOfSmall(source) ? [] : [source.id]));
	const [users, inboxes, sources] = await Promise.all([
		sql<({id: string} & Usage)[]>`
			select id, inboxes, endpoints, teams, messages, bytes, deliveries from users
			where id in (select owner_id from inboxes where id = any(${inboxIds})) and email is not null
			order by id for no key update
		`,
		sql<LockedInbox[]>`
			select id, owner_id as "ownerId", last_place as "lastPlace", latest_at as "latestAt" from inboxes
			where id = any(${inboxIds}) order by id for no key update
		`,
		largeIds.length === 0
			? []
			: sql<{id: string}[]>`select id from sources where id = any(${largeIds}) order by id for update`,
	]);
	const usageOf = new Map(users.map(({id, ...usage}) => [id, usage]));
	const there = inboxes.filter(({ownerId}) => usageOf.has(ownerId));
	return {
		users: usageOf,
		inboxes: new Map(there.map(inbox => [inbox.id, inbox])),
		sourceIds: new Set(sources.map(({id}) => id)),
		inAll,
	};
}

const nothing = {xid: '0', due: []};

async function write(sql: Transaction, plan: MailPlan, nodeId: string): Promise<Pick<Written, 'xid' | 'due'>> {
	const json = (rows: readonly object[]) => sql.typed(rows as never, 114);
	const writing = sql<[{xid: string}]>`
		with counted_users as (
			update users set messages = users.messages + more.messages, bytes = users.bytes + more.bytes
			from json_to_recordset(${json(plan.users)}) as more (id text, messages bigint, bytes bigint)
			where users.id = more.id
		), counted_inboxes as (
			update inboxes
			set messages = inboxes.messages + more.messages, last_place = more.last_place, latest_at = more.latest_at
			from json_to_recordset(${json(plan.inboxes)}) as more (id text, messages int, last_place bigint, latest_at text)
			where inboxes.id = more.id
		), new_sources as (
			insert into sources (id, size, uses, bytes)
			select id, size, uses, decode(bytes, 'base64')
			from json_to_recordset(${json(plan.sources)}) as new (id text, size bigint, uses int, bytes text)
			on conflict (id) do update set size = excluded.size, uses = sources.uses + excluded.uses, staged_at = null
		), new_messages as (
			insert into messages (inbox_id, place, id, source_id, latest_at, weight, row)
			select * from json_to_recordset(${json(plan.messages)})
			as new (inbox_id text, place bigint, id text, source_id text, latest_at text, weight int, row json)
		), new_bounces as (
			insert into bounces (id, message_id, owner_id, due_at, row)
			select * from json_to_recordset(${json(plan.bounces)})
			as new (id text, message_id text, owner_id text, due_at text, row json)
		)
		select pg_current_xact_id()::text as xid
	`;
	const [[{xid}], , due] = await Promise.all([
		writing,
		addEvents(sql, nodeId, plan.news),
		addDeliveries(sql, plan.deliveries, nodeId),
	]);
	return {xid, due};
}
