import {setTimeout as sleep} from 'node:timers/promises';
import {AppError} from '../../domain/errors.js';
import type {FeedItem} from '../../domain/feed.js';
import type {Retention} from '../../domain/mail/inbox.js';
import type {Log} from '../../lib/log.js';
import type {MailCommit, Store, Usage} from '../port.js';
import {inlineBytes} from '../staging.js';
import type {DueEndpoint} from './deliveries/due-endpoints.js';
import type {DeliveryLeases} from './deliveries/leases.js';
import {addDeliveries} from './deliveries/write.js';
import {addEvents} from './event-log.js';
import {type EvictedMessageCleaner, evict, evictionsWithMail, type MailEvictions} from './evictions.js';
import {type LockedRows, type MailOutcome, MailPlan} from './mail-plan.js';
import type {PostgresEvents} from './nouns/events.js';
import {lockInboxes} from './nouns/inboxes.js';
import {findReceipts, putReceipts} from './nouns/sending.js';
import {batched} from './session/batched.js';
import {type Begin, type Database, databaseError} from './session/database.js';
import {recordset, type Transaction} from './session/session.js';

/** Maximum number of mails per transaction. */
const mailsPerTransaction = 64;

/** Timeout and interval of the queries for the outcome of a commit whose answer was lost. */
const outcomeQueryMs = {atMost: 5000, between: 100};

/** A mail, its caller's `begin`, and the usage of all users shortly before. */
type QueuedMail = {readonly mail: MailCommit; readonly begin: Begin; readonly total: Usage};

export type GroupCommitOptions = {
	readonly nodeId: string;
	readonly usage: Store['usage'];
	readonly events: Pick<PostgresEvents, 'committed'>;
	readonly leases: Pick<DeliveryLeases, 'note'>;
	/** Limits of inboxes that have none. */
	readonly retention: Retention;
	readonly cleaner: Pick<EvictedMessageCleaner, 'add'>;
	readonly log: Log;
};

/**
 * Commits concurrent mails in one transaction, each with its own outcome. A mail that cannot be stored does not affect the
 * others.
 */
export class GroupCommit {
	readonly #database: Database;
	readonly #options: GroupCommitOptions;
	readonly #commit = batched<QueuedMail, MailOutcome>(async queued => this.#commitAll(queued), mailsPerTransaction);

	constructor(database: Database, options: GroupCommitOptions) {
		this.#database = database;
		this.#options = options;
	}

	/** Resolves when the mail is durable: true if any message uses its source. */
	async add(mail: MailCommit): Promise<boolean> {
		return this.#database.whole('mail', async begin => {
			const outcome = await this.#commit({mail, begin, total: await this.#options.usage()});
			if ('error' in outcome) {
				throw outcome.error;
			}

			return outcome.isUsed;
		});
	}

	async #commitAll(queued: readonly QueuedMail[]): Promise<readonly MailOutcome[]> {
		try {
			return await this.#commitInOne(queued);
		} catch (error) {
			if (queued.length === 1 || databaseError(error) instanceof AppError) {
				return queued.map(() => ({error}));
			}
		}

		// The database rejects data of one mail: store the others without it.
		const outcomes: MailOutcome[] = [];
		for (const one of queued) {
			outcomes.push(...(await this.#commitAll([one])));
		}

		return outcomes;
	}

	async #commitInOne(queued: readonly QueuedMail[]): Promise<readonly MailOutcome[]> {
		const {nodeId, retention} = this.#options;
		const mails = queued.map(({mail}) => mail);
		// The transaction of the last caller commits for all; its `total` is the most recent.
		const last = queued.at(-1);
		const written: Written[] = [];
		try {
			await last?.begin(async sql => {
				written.push(await writeMails(sql, mails, {nodeId, total: last.total, retention}));
			});
		} catch (error) {
			const [uncertain] = written;
			if (!last || !uncertain || !(await isCommitted(last.begin, uncertain.xid, nodeId))) {
				throw error;
			}
		}

		this.#notify(written);
		return written.flatMap(({outcomes}) => outcomes);
	}

	/** Notifies other parts. Never fails, since the mail is stored and the sender must not repeat it. */
	#notify(written: readonly Written[]): void {
		const {events, leases, cleaner, log} = this.#options;
		try {
			leases.note(written.flatMap(({due}) => due));
			cleaner.add(written.flatMap(({evictedFrom}) => evictedFrom));
			events.committed(written.flatMap(({news}) => news));
		} catch (error) {
			log.error({err: error}, 'Mail stored, but notifying some listeners failed');
		}
	}
}

/**
 * Finds out whether a transaction of this node was committed after its answer was lost. This is known once it has ended. The
 * check needs its row: on a standby that took over without it, the id may belong to another transaction.
 */
async function isCommitted(begin: Begin, xid: string, nodeId: string): Promise<boolean> {
	const giveUpAt = performance.now() + outcomeQueryMs.atMost;
	while (performance.now() < giveUpAt) {
		const [state] = await begin(
			async sql => sql<{isOver: boolean; isThere: boolean}[]>`
				select
					pg_visible_in_snapshot(${xid}::xid8, pg_current_snapshot()) as "isOver",
					exists (select from events where xid = ${xid}::xid8 and node = ${nodeId}) as "isThere"
			`,
		).catch(() => []);
		if (state?.isOver) {
			return state.isThere;
		}

		await sleep(outcomeQueryMs.between);
	}

	return false;
}

/** Changes of a transaction, valid once it is committed. */
type Written = {
	/** Transaction id. */
	readonly xid: string;
	/** In the order of the mails. */
	readonly outcomes: readonly MailOutcome[];
	readonly news: readonly FeedItem[];
	/** Endpoints with new deliveries. */
	readonly due: readonly DueEndpoint[];
	/** Inboxes with evicted messages. */
	readonly evictedFrom: readonly string[];
};

/**
 * Writes mails and everything that belongs to them in one transaction with few statements, whatever their number. Locks are
 * taken in the same order everywhere: users, inboxes, sources, each by id. The lock of an inbox also orders its places: a
 * lower place was committed before. `retention` is the default for inboxes, or null to evict nothing. Throws `AlreadyAnswered`
 * for all mails if another transaction concurrently stored the receipt of one.
 */
export async function writeMails(
	sql: Transaction,
	mails: readonly MailCommit[],
	{nodeId, total, retention}: {readonly nodeId: string; readonly total: Usage; readonly retention: Retention | null},
): Promise<Written> {
	const locked = await lock(sql, mails, total);
	const plan = new MailPlan(locked);
	const outcomes = mails.map(mail => plan.add(mail));
	const evicted = retention ? await evictionsWithMail(sql, plan, locked.inboxes, retention) : noEvictions;
	const news = [...plan.news, ...evicted.news];
	const isEmpty = plan.messages.length + plan.receipts.size === 0;
	const {xid, due} = isEmpty ? noChange : await write(sql, plan, {...evicted, news}, nodeId);
	return {xid, outcomes, news, due, evictedFrom: evicted.evictions.flatMap(({id, count}) => (count > 0 ? [id] : []))};
}

async function lock(sql: Transaction, mails: readonly MailCommit[], total: Usage): Promise<LockedRows> {
	const inboxIds = [...new Set(mails.flatMap(({messages}) => messages.map(({inboxId}) => inboxId)))];
	const largeIds = mails.flatMap(({source}) => (inlineBytes(source) ? [] : [source.id]));
	const receiptIds = mails.flatMap(({receipt}) => receipt?.id ?? []);
	const [users, inboxes, sources, receipts] = await Promise.all([
		sql<({id: string} & Usage)[]>`
			select id, inboxes, endpoints, teams, messages, bytes, deliveries from users
			where id in (select owner_id from inboxes where id = any(${inboxIds})) and email is not null
			order by id for no key update
		`,
		lockInboxes(sql, inboxIds),
		largeIds.length === 0
			? []
			: sql<{id: string}[]>`select id from sources where id = any(${largeIds}) order by id for update`,
		receiptIds.length === 0 ? [] : findReceipts(sql, receiptIds),
	]);
	const usageOf = new Map(users.map(({id, ...usage}) => [id, usage]));
	const there = inboxes.filter(({ownerId}) => usageOf.has(ownerId));
	return {
		users: usageOf,
		inboxes: new Map(there.map(inbox => [inbox.id, inbox])),
		sourceIds: new Set(sources.map(({id}) => id)),
		receipts: new Map(receipts.map(receipt => [receipt.id, receipt])),
		total,
	};
}

const noEvictions: MailEvictions = {evictions: [], news: []};

const noChange = {xid: '0', due: []};

async function write(
	sql: Transaction,
	plan: MailPlan,
	{evictions, news}: MailEvictions,
	nodeId: string,
): Promise<Pick<Written, 'xid' | 'due'>> {
	const writing = sql<[{xid: string}]>`
		with counted_users as (
			update users set messages = users.messages + more.messages, bytes = users.bytes + more.bytes
			from json_to_recordset(${recordset(sql, plan.users)}) as more (id text, messages bigint, bytes bigint)
			where users.id = more.id
		), counted_inboxes as (
			update inboxes
			set messages = inboxes.messages + more.messages, last_place = more.last_place, latest_at = more.latest_at
			from json_to_recordset(${recordset(sql, plan.inboxes)}) as more (id text, messages int, last_place bigint, latest_at text)
			where inboxes.id = more.id
		), new_sources as (
			insert into sources (id, size, uses, bytes)
			select id, size, uses, decode(bytes, 'base64')
			from json_to_recordset(${recordset(sql, plan.sources)}) as new (id text, size bigint, uses int, bytes text)
			on conflict (id) do update set size = excluded.size, uses = sources.uses + excluded.uses, staged_at = null
		), new_messages as (
			insert into messages (inbox_id, place, id, source_id, latest_at, weight, row)
			select * from json_to_recordset(${recordset(sql, plan.messages)})
			as new (inbox_id text, place bigint, id text, source_id text, latest_at text, weight int, row json)
		), new_bounces as (
			insert into bounces (id, message_id, owner_id, due_at, row)
			select * from json_to_recordset(${recordset(sql, plan.bounces)})
			as new (id text, message_id text, owner_id text, due_at text, row json)
		)
		select pg_current_xact_id()::text as xid
	`;
	const [[{xid}], , due] = await Promise.all([
		writing,
		addEvents(sql, nodeId, news),
		addDeliveries(sql, plan.deliveries, nodeId),
		putReceipts(sql, [...plan.receipts.values()]),
		evictions.length === 0 ? undefined : evict(sql, evictions),
	]);
	return {xid, due};
}
