import type {Delivery} from '../../../domain/webhooks/delivery.js';
import type {DumpRows} from '../../dump.js';
import type {SharedBody} from '../../rules/webhooks.js';

/** A line of the journal: segment number, offset of the first byte, and length without the line feed. */
export type LinePosition = {readonly segment: number; readonly offset: number; readonly length: number};

/**
 * The location of the bytes of a mail. `position` is set by `State.startChange` if the journal line of the change holds the
 * bytes; null means a separate file.
 */
export type StoredSource = {readonly id: string; readonly position: LinePosition | null};

/** A delivery with its own body, or with the id and the length of a shared one. */
export type DeliveryRow = Omit<Delivery, 'body'> & {
	readonly body?: string;
	readonly bodyId?: string;
	readonly bodyLength?: number;
};

/** Times of use under a name, oldest first. */
export type Rate = {readonly id: string; readonly takenAt: readonly string[]};

/** The row type of each table. */
export type TableRows = Omit<DumpRows, 'deliveries'> & {
	deliveries: DeliveryRow;
	rates: Rate;
	sources: StoredSource;
	bodies: SharedBody;
};

export type TableName = keyof TableRows;

/** Adds or replaces a row. */
export type Put<T extends TableName = TableName> = {[K in T]: readonly ['put', K, TableRows[K]]}[T];

/** Changes fields of a row if it exists. */
export type Patch<T extends TableName = TableName> = {
	[K in T]: readonly ['patch', K, string, Partial<TableRows[K]>];
}[T];

/** Deletes a row with its dependent rows. */
export type Delete = readonly ['delete', TableName, string];

/**
 * Deletes the oldest messages of an inbox: those up to the message `upTo`, or those beyond the number that the inbox keeps, at
 * most `most`. `keep` applies if the inbox sets no number itself (null: all).
 */
export type Evict = readonly ['evict', 'messages', inboxId: string, EvictionBounds];

type EvictionBounds = {readonly upTo: string} | {readonly keep: number | null; readonly most: number};

/** Operations that become durable together, in the form in which journal and snapshots store them. */
export type Change = readonly (Put | Patch | Delete | Evict)[];
