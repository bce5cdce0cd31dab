import type {FaultDrop, FaultKey, FaultStage, Page} from './constants.js';

/**
 * Conditions of a fault; all must hold. Each is a case-insensitive substring or `/regex/flags` (RE2 syntax; flags i, m, s, u).
 * The user is known from AUTH on, the sender from MAIL on, recipients from RCPT on, and the subject at `end`.
 */
export type FaultMatch = {
	/** Envelope sender. */
	readonly from?: string | undefined;
	/** Recipient; at `rcpt` the current one. */
	readonly to?: string | undefined;
	readonly subject?: string | undefined;
	/** User name of the SMTP login. */
	readonly user?: string | undefined;
};

/** Rate limit: more than `count` within a sliding window of `seconds`. */
export type FaultRate = {readonly count: number; readonly seconds: number};

/** Fault to create. Fields that are left out are null. */
export type CreateFault = {
	/** SMTP stage at which the fault acts. */
	readonly stage: FaultStage;
	/** Label for people. */
	readonly name?: string | null | undefined;
	/** Conditions for the fault to act; null matches everything. */
	readonly match?: FaultMatch | null | undefined;
	/** SMTP reply, such as `451 4.7.1 Try again later`; the enhanced code is optional. */
	readonly reply?: string | null | undefined;
	/** Number of times the fault acts before it ends; null for no limit. */
	readonly times?: number | null | undefined;
	/** Number of matching occasions to let pass first. */
	readonly after?: number | null | undefined;
	/** Scope of `after`, `times`, `rate` and `probability`: each `recipient` (at `rcpt`) or `message` (at `end`); null counts all together. */
	readonly per?: FaultKey | null | undefined;
	/** Milliseconds before the reply, or before the connection is closed. */
	readonly delay_ms?: number | null | undefined;
	/** Milliseconds before each byte of the reply. */
	readonly byte_delay_ms?: number | null | undefined;
	/** Point at which the connection is closed; null keeps it open. */
	readonly drop?: FaultDrop | null | undefined;
	/** Rate limit: the fault acts on occasions above it. */
	readonly rate?: FaultRate | null | undefined;
	/** Probability that the fault acts, above 0 and at most 1; null acts always. */
	readonly probability?: number | null | undefined;
	/** Seed of the random sequence, for repeatable runs; null chooses one. */
	readonly seed?: number | null | undefined;
	/** Seconds until the fault is deleted; null keeps it. */
	readonly ttl?: number | null | undefined;
};

/** Rule that makes mail fail on purpose. */
export type FaultBody = {readonly [Field in keyof CreateFault]-?: Exclude<CreateFault[Field], undefined>} & {
	readonly id: string;
	/** Id of the inbox that the fault belongs to; null for a fault of the daemon. */
	readonly inbox_id: string | null;
	/** Time when the fault is deleted (ISO 8601); null for never. */
	readonly expires_at: string | null;
	readonly created_at: string;
	/** Number of matching occasions so far. */
	readonly seen: number;
	/** Number of times the fault acted. */
	readonly hit_count: number;
};

/** Faults in the order in which they are checked, the oldest first. */
export type FaultListBody = {readonly faults: readonly FaultBody[]};

/** One time that a fault acted. Long texts are truncated. */
export type FaultHitBody = {
	readonly id: string;
	/** Id of the fault; null if a fault address such as `signup+fail-451@` caused the hit. */
	readonly fault_id: string | null;
	/** Name of the fault; null for none. */
	readonly name: string | null;
	/** Id of the inbox that the fault belongs to; null for a fault of the daemon. */
	readonly inbox_id: string | null;
	/** Time when the fault acted (ISO 8601). */
	readonly time: string;
	readonly stage: FaultStage;
	/** Address of the client, and its name in HELO or EHLO (null before it gave one). */
	readonly client: {readonly host: string; readonly helo: string | null};
	/** User name that the client logged in with, or tried to; null for none. */
	readonly user: string | null;
	/** Envelope as far as it was known. */
	readonly envelope: {readonly from: string | null; readonly to: readonly string[]};
	/** Reply line that the fault sent; null if it sent none. */
	readonly reply: string | null;
	/** Point at which the fault closed the connection; null if it stayed open. */
	readonly drop: FaultDrop | null;
	/** Delay in milliseconds that the fault added. */
	readonly delay_ms: number;
	/** Id of the message that was stored although the connection was closed; null for none. */
	readonly message_id: string | null;
};

/** Query of a list of fault hits. */
export type ListFaultHits = Partial<Page> & {
	/** Seconds to wait for `count` hits: a whole number, at most 60. */
	readonly wait?: number | undefined;
	/** Number of hits to wait for, in total (default 1). */
	readonly count?: number | undefined;
};

/** Page of fault hits, the newest first; `total` counts all pages. */
export type FaultHitListBody = Page & {readonly hits: readonly FaultHitBody[]; readonly total: number};
