import type {Readable} from 'node:stream';
import type {Invite, Team} from '../domain/accounts/team.js';
import type {ApiKey, User, WebSession} from '../domain/accounts/user.js';
import type {Fault, FaultCount, FaultHit} from '../domain/faults/fault.js';
import type {PendingBounce} from '../domain/mail/bounce.js';
import type {Inbox} from '../domain/mail/inbox.js';
import type {Message} from '../domain/mail/message.js';
import type {Receipt} from '../domain/mail/sending.js';
import type {Delivery, Endpoint} from '../domain/webhooks/delivery.js';
import type {TemplateRow} from './template-store.js';

/** What happened under one key of a fault (`id` is that of the fault, a space, and the key), or (`id` is the fault's) under all. */
export type FaultCountRow = FaultCount & {readonly id: string; readonly faultId: string};

/** An inbox, and how many of its messages were evicted; absent is 0. */
export type StoredInbox = Inbox & {readonly evicted?: number};

/** What a store keeps, by table, but for the turns of the last minutes: those that count how often somebody did something. */
export type DumpRows = {
	users: User;
	keys: ApiKey;
	webSessions: WebSession;
	teams: Team;
	invites: Invite;
	inboxes: StoredInbox;
	messages: Message;
	bounces: PendingBounce;
	endpoints: Endpoint;
	deliveries: Delivery;
	faults: Fault;
	faultCounts: FaultCountRow;
	faultHits: FaultHit;
	receipts: Receipt;
	templates: TemplateRow;
};

export type DumpTable = keyof DumpRows;

/** All tables, each behind those that its rows belong to. */
export const dumpTables: readonly DumpTable[] = [
	'users',
	'keys',
	'webSessions',
	'teams',
	'invites',
	'inboxes',
	'messages',
	'bounces',
	'endpoints',
	'deliveries',
	'faults',
	'faultCounts',
	'faultHits',
	'receipts',
	'templates',
];

/** The bytes of a stored source; undefined when they are lost. */
export type ReadSource = (id: string) => Promise<Readable | undefined>;

/** What a store is a copy of. */
export type CopyMark = {
	/** Tells the store that it is copied from. */
	readonly from: string;
	/** Whether nothing is missing. */
	readonly isWhole: boolean;
};

/** All there is, to be copied from one store to another while nobody else uses either. */
export interface DumpStore {
	count(table: DumpTable): Promise<number>;
	/**
	 * All rows but the first `skip`, some at a time, in an order that stays as it is while no row changes. Messages of an inbox
	 * come in the order in which they came, all others but bounces, deliveries, receipts and templates in that of their table.
	 */
	read<T extends DumpTable>(table: T, skip: number): AsyncIterable<ReadonlyArray<DumpRows[T]>>;
	/**
	 * Adds new rows as they are behind those that are there. Messages bring their bytes by `readSource`, unless those are there.
	 * Resolves once all are durable; of what a crash interrupts, the first so many rows are there, or none.
	 */
	load<T extends DumpTable>(table: T, rows: ReadonlyArray<DumpRows[T]>, readSource: ReadSource): Promise<void>;
	/** Undefined when the store is no copy. */
	mark(): Promise<CopyMark | undefined>;
	/** A store that is not whole by its mark is opened for nothing but its copying. */
	setMark(mark: CopyMark): Promise<void>;
}
