import type {Invite, Team} from '../../../domain/accounts/team.js';
import type {ApiKey, User, WebSession} from '../../../domain/accounts/user.js';
import type {Fault, FaultHit} from '../../../domain/faults/fault.js';
import type {PendingBounce} from '../../../domain/mail/bounce.js';
import type {Message} from '../../../domain/mail/message.js';
import type {Receipt} from '../../../domain/mail/sending.js';
import type {Delivery, Endpoint} from '../../../domain/webhooks/delivery.js';
import type {FaultCountRow, StoredInbox, TemplateRow} from '../../dump.js';

/** A line of the journal: the segment's number, the first byte, and how many bytes without the line feed. */
export type LinePlace = {readonly segment: number; readonly offset: number; readonly length: number};

/** Where the bytes of a mail are: in a line of the journal, or (place is null) in a file of their own. */
export type Source = {readonly id: string; readonly place: LinePlace | null};

/** What several deliveries send, kept once; it goes with the last of them. */
export type SharedBody = {readonly id: string; readonly text: string};

/** A delivery with a body of its own, or with the id and the length of the one that it shares. */
export type DeliveryRow = Omit<Delivery, 'body'> & {
	readonly body?: string;
	readonly bodyId?: string;
	readonly bodyLength?: number;
};

/** When turns were taken under a name, oldest first. */
export type Rate = {readonly id: string; readonly takenAt: readonly string[]};

/** Everything that is kept, by table. */
export type TableRows = {
	users: User;
	keys: ApiKey;
	webSessions: WebSession;
	rates: Rate;
	teams: Team;
	invites: Invite;
	inboxes: StoredInbox;
	sources: Source;
	messages: Message;
	bounces: PendingBounce;
	endpoints: Endpoint;
	bodies: SharedBody;
	deliveries: DeliveryRow;
	faults: Fault;
	faultCounts: FaultCountRow;
	faultHits: FaultHit;
	receipts: Receipt;
	templates: TemplateRow;
};

export type TableName = keyof TableRows;

/** Adds or replaces a row. */
export type Put<T extends TableName = TableName> = {[K in T]: readonly ['put', K, TableRows[K]]}[T];

/** Changes some fields of a row if it is there. */
export type Patch<T extends TableName = TableName> = {
	[K in T]: readonly ['patch', K, string, Partial<TableRows[K]>];
}[T];

/** Removes a row, and with it everything that belongs to it. */
export type Delete = readonly ['delete', TableName, string];

/**
 * Removes the oldest messages of an inbox: those up to that one, or what there is beyond as many as the inbox keeps, if it does not
 * say so itself `keep` (null is all), but no more than `most`.
 */
export type Evict = readonly ['evict', 'messages', inboxId: string, EvictionBounds];

type EvictionBounds = {readonly upTo: string} | {readonly keep: number | null; readonly most: number};

/** What becomes durable together, as the journal and the snapshot write it. */
export type Change = readonly (Put | Patch | Delete | Evict)[];
