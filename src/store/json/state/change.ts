import type {PendingBounce} from '../../../domain/bounce.js';
import type {Fault, FaultHit} from '../../../domain/fault.js';
import type {Inbox} from '../../../domain/inbox.js';
import type {Message} from '../../../domain/message.js';
import type {Invite, Team} from '../../../domain/team.js';
import type {ApiKey, User} from '../../../domain/user.js';
import type {Delivery, Endpoint} from '../../../domain/webhook.js';
import type {FaultCountRow} from '../../dump-store.js';

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
	rates: Rate;
	teams: Team;
	invites: Invite;
	inboxes: Inbox;
	sources: Source;
	messages: Message;
	bounces: PendingBounce;
	endpoints: Endpoint;
	bodies: SharedBody;
	deliveries: DeliveryRow;
	faults: Fault;
	faultCounts: FaultCountRow;
	faultHits: FaultHit;
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

/** What becomes durable together, as the journal and the snapshot write it. */
export type Change = readonly (Put | Patch | Delete)[];
