import {setTimeout as sleep} from 'node:timers/promises';
import {AppError} from '../../domain/errors.js';
import type {FeedItem} from '../../domain/feed.js';
import type {Keeping} from '../../domain/mail/inbox.js';
import type {Log} from '../../lib/log.js';
import type {Store, Usage} from '../port.js';
import {inlineBytes} from '../staging.js';
import type {DueEndpoint} from './deliveries/due-endpoints.js';
import type {DeliveryLeases} from './deliveries/leases.js';
import {addDeliveries} from './deliveries/write.js';
import {addEvents} from './event-log.js';
import {type EvictedMessageCleaner, evict, evictionsWithMail, type MailEvictions} from './evictions.js';
import {type Locked, type MailOutcome, MailPlan, type NewMessages} from './mail-plan.js';
import type {PostgresEvents} from './nouns/events.js';
import {lockInboxes} from './nouns/inboxes.js';
import {findReceipts, putReceipts} from './nouns/receipts.js';
import {batched} from './session/batched.js';
import {type Begin, type Database, databaseError} from './session/database.js';
import type {Transaction} from './session/session.js';

/** Mails that share a transaction at most. */
const maxTogether = 64;

/** How long it may take to find out what became of a commit whose answer was lost, and how often that is asked. */
const doubtMs = {atMost: 5000, between: 100};

/** A mail, what its transaction can begin with, and what there was in all a moment before. */
type Waiting = {readonly mail: NewMessages; readonly begin: Begin; readonly inAll: Usage};

export type GroupCommitOptions = {
	readonly nodeId: string;
	readonly usage: Store['usage'];
	readonly events: Pick<PostgresEvents, 'committed'>;
	readonly leases: Pick<DeliveryLeases, 'note'>;
	/** What inboxes keep that say nothing themselves. */
	readonly keeping: Keeping;
	readonly leavings: Pick<EvictedMessageCleaner, 'add'>;
	readonly log: Log;
};

/** Stores mails that come together in one transaction, each with an outcome of its own. One that cannot be stored holds up no other. */
export class GroupCommit {
	readonly #database: Database;
	readonly #options: GroupCommitOptions;
	readonly #commit = batched<Waiting, MailOutcome>(async waiting => this.#commitAll(waiting), maxTogether);

	constructor(database: Database, options: GroupCommitOptions) {
		this.#database = database;
		this.#options = options;
	}

	/** Resolves once the mail is durable, to whether any message has it. */
	async add(mail: NewMessages): Promise<boolean> {
		return this.#database.whole(async begin => {
			const inAll = await this.#options.usage();
			const outcome = await this.#commit({mail, begin, inAll});
			if ('error' in outcome) {
				throw outcome.error;
			}

			return outcome.isUsed;
		});
	}

	async #commitAll(waiting: readonly Waiting[]): Promise<readonly MailOutcome[]> {
		try {
			return await this.#commitTogether(waiting);
		} catch (error) {
			if (waiting.length === 1 || databaseError(error) instanceof AppError) {
				return waiting.map(() => ({error}));
			}
		}

		// Something in one of them is not to the database's liking: the others need not suffer.
		const outcomes: MailOutcome[] = [];
		for (const one of waiting) {
			outcomes.push(...(await this.#commitAll([one])));
		}

		return outcomes;
	}

	async #commitTogether(waiting: readonly Waiting[]): Promise<readonly MailOutcome[]> {
		const {nodeId, keeping} = this.#options;
		const mails = waiting.map(({mail}) => mail);
		const last = waiting.at(-1);
		const written: Written[] = [];
		try {
			await last?.begin(async sql => {
				written.push(await writeMails(sql, mails, {nodeId, inAll: last.inAll, keeping}));
			});
		} catch (error) {
			const [doubtful] = written;
			if (!last || !doubtful || !(await isCommitted(last.begin, doubtful.xid, nodeId))) {
				throw error;
			}
		}

		this.#tell(written);
		return written.flatMap(({outcomes}) => outcomes);
	}

	/** What is stored is stored, whatever comes of this: else it would be sent again. */
	#tell(written: readonly Written[]): void {
		const {events, leases, leavings, log} = this.#options;
		try {
			leases.note(written.flatMap(({due}) => due));
			leavings.add(written.flatMap(({evictedFrom}) => evictedFrom));
			events.committed(written.flatMap(({news}) => news));
		} catch (error) {
			log.error({err: error}, 'Mail stored, but notifying some listeners failed');
		}
	}
}

/**
 * Whether the transaction of a node is committed, when its answer was lost. It can only be told once it is over, and only by what
 * it wrote: where a standby took over that had not got it, its id can be another's.
 */
async function isCommitted(begin: Begin, xid: string, nodeId: string): Promise<boolean> {
	const giveUpAt = performance.now() + doubtMs.atMost;
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

		await sleep(doubtMs.between);
	}

	return false;
}

/** What a transaction has written, which counts once it is committed. */
type Written = {
	/** Of the transaction. */
	readonly xid: string;
	/** In the order of the mails. */
	readonly outcomes: readonly MailOutcome[];
	readonly news: readonly FeedItem[];
	/** When deliveries are due. */
	readonly due: readonly DueEndpoint[];
	/** The inboxes with messages that were evicted. */
	readonly evictedFrom: readonly string[];
};

/**
 * Writes mails with all that follows from them, in one transaction: few statements, however many there are. Locks are taken in the
 * order that all keep: users, inboxes, sources, each by id. A place in an inbox is taken with its lock, so that what has a lower
 * one was committed before. `keeping`: what inboxes keep that say nothing themselves; null when nothing is to be evicted. Throws
 * `AlreadyAnswered` for all when another transaction stored the receipt of one meanwhile.
 */
export async function writeMails(
	sql: Transaction,
	mails: readonly NewMessages[],
	{nodeId, inAll, keeping}: {readonly nodeId: string; readonly inAll: Usage; readonly keeping: Keeping | null},
): Promise<Written> {
	const locked = await lock(sql, mails, inAll);
	const plan = new MailPlan(locked);
	const outcomes = mails.map(mail => plan.add(mail));
	const evicted = keeping ? await evictionsWithMail(sql, plan, locked.inboxes, keeping) : noEvictions;
	const news = [...plan.news, ...evicted.news];
	const isNothing = plan.messages.length + plan.receipts.size === 0;
	const {xid, due} = isNothing ? nothing : await write(sql, plan, {...evicted, news}, nodeId);
	return {xid, outcomes, news, due, evictedFrom: evicted.evictions.flatMap(({id, count}) => (count > 0 ? [id] : []))};
}

async function lock(sql: Transaction, mails: readonly NewMessages[], inAll: Usage): Promise<Locked> {
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
		inAll,
	};
}

const noEvictions: MailEvictions = {evictions: [], news: []};

const nothing = {xid: '0', due: []};

async function write(
	sql: Transaction,
	plan: MailPlan,
	{evictions, news}: MailEvictions,
	nodeId: string,
): Promise<Pick<Written, 'xid' | 'due'>> {
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
		addEvents(sql, nodeId, news),
		addDeliveries(sql, plan.deliveries, nodeId),
		putReceipts(sql, [...plan.receipts.values()]),
		evictions.length === 0 ? undefined : evict(sql, evictions),
	]);
	return {xid, due};
}
