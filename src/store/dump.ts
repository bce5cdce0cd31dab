import type {Readable} from 'node:stream';
import type {Invite, Team} from '../domain/accounts/team.js';
import type {ApiKey, User, WebSession} from '../domain/accounts/user.js';
import type {Fault, FaultCount, FaultHit} from '../domain/faults/fault.js';
import type {PendingBounce} from '../domain/mail/bounce.js';
import type {Inbox} from '../domain/mail/inbox.js';
import type {Message} from '../domain/mail/message.js';
import type {Receipt, Template} from '../domain/mail/sending.js';
import type {Delivery, Endpoint} from '../domain/webhooks/delivery.js';

/** A count of a fault under one key (id: fault id, space, key), or its total over all keys (id: fault id). */
export type FaultCountRow = FaultCount & {readonly id: string; readonly faultId: string};

/** An inbox with the number of evicted messages; absent is 0. */
export type StoredInbox = Inbox & {readonly evicted?: number};

/** A template with an id that is unique in the store (`templateKey`); `name` is the id that the user sees. */
export type TemplateRow = Omit<Template, 'id'> & {readonly id: string; readonly name: string};

/** The rows of a store by table, without the short-lived rates. */
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

/** All tables. Each comes after the tables that its rows belong to. */
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

/** Marks a store that is a copy. */
export type CopyMark = {
	/** Identifies the source of the copy. */
	readonly from: string;
	/** False until all rows are copied. */
	readonly isWhole: boolean;
};

/** Access to all rows, to copy one store to another. Nobody else may use either store meanwhile. */
export interface DumpStore {
	count(table: DumpTable): Promise<number>;
	/**
	 * Reads all rows in batches, without the first `skip`, in a stable order. Messages of an inbox are in order of arrival;
	 * other rows are in the order of their table, except bounces, deliveries, receipts and templates.
	 */
	read<T extends DumpTable>(table: T, skip: number): AsyncIterable<ReadonlyArray<DumpRows[T]>>;
	/**
	 * Appends rows unchanged. `readSource` provides the bytes of messages whose source is not stored yet. Resolves when all rows
	 * are durable; after a crash, a prefix of the rows is stored.
	 */
	load<T extends DumpTable>(table: T, rows: ReadonlyArray<DumpRows[T]>, readSource: ReadSource): Promise<void>;
	/** Undefined if the store is not a copy. */
	mark(): Promise<CopyMark | undefined>;
	/** A store with an incomplete copy can be opened only to continue it. */
	setMark(mark: CopyMark): Promise<void>;
}
