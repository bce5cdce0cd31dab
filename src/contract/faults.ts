import {fieldsOf} from './answers.js';
import type {Page} from './page.js';

/** Where in a session a fault acts, in the order of a session; `end` is after the last dot of the data. */
export const faultStages = ['connect', 'helo', 'starttls', 'auth', 'mail', 'rcpt', 'data', 'end'] as const;

export type FaultStage = (typeof faultStages)[number];

/** Those of an inbox's own faults: before AUTH nobody knows for which inbox a connection is. */
export const inboxFaultStages = ['auth', 'mail', 'rcpt', 'data', 'end'] as const satisfies readonly FaultStage[];

/**
 * How a connection ends: instead of the reply (nothing is kept); in the middle of the data (stage `data`) or of the reply;
 * without a reply once the mail is kept (stage `end`).
 */
export const faultDrops = ['before', 'mid', 'after_commit'] as const;

export type FaultDrop = (typeof faultDrops)[number];

/** What has a count of its own. */
export const faultKeys = ['recipient', 'message'] as const;

export type FaultKey = (typeof faultKeys)[number];

/** The most that a fault can ask for, and the most faults that there are of an inbox and of the daemon. */
export const faultLimits = {
	faults: 100,
	delayMs: 5 * 60_000,
	byteDelayMs: 10_000,
	rateCount: 250,
	rateSeconds: 86_400,
	replyLength: 400,
} as const;

/**
 * Which occasions a fault is for; all that is given must fit. Each is a substring without case, or a `/regex/flags` (RE2
 * syntax; flags i, m, s, u). From AUTH on there is a user, from MAIL on a sender, from RCPT on recipients (at `rcpt` the one
 * that is asked for), and at `end` a subject.
 */
export type FaultMatch = {
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	readonly subject?: string | undefined;
	readonly user?: string | undefined;
};

/** Beyond so many in any so many seconds. */
export type FaultRate = {readonly count: number; readonly seconds: number};

export type CreateFault = {
	readonly stage: FaultStage;
	/** A label for people. */
	readonly name?: string | null | undefined;
	readonly match?: FaultMatch | null | undefined;
	/** Such as `451 4.7.1 Try again later`; the enhanced code may be left out. */
	readonly reply?: string | null | undefined;
	/** How often it acts; then it is over. */
	readonly times?: number | null | undefined;
	/** How many occasions it lets pass first. */
	readonly after?: number | null | undefined;
	/** `after`, `times`, `rate` and `probability` count for each of these by itself: `recipient` at `rcpt`, `message` at `end`. */
	readonly per?: FaultKey | null | undefined;
	/** Comes before the reply, or before the connection ends. */
	readonly delay_ms?: number | null | undefined;
	/** Before each byte of the reply. */
	readonly byte_delay_ms?: number | null | undefined;
	readonly drop?: FaultDrop | null | undefined;
	/** Lets so many pass in so many seconds, and acts beyond. */
	readonly rate?: FaultRate | null | undefined;
	/** Of acting, more than 0 and at most 1. */
	readonly probability?: number | null | undefined;
	/** Faults with the same seed draw the same sequence. Chosen when there is a probability and no seed. */
	readonly seed?: number | null | undefined;
	/** Seconds until it goes. */
	readonly ttl?: number | null | undefined;
};

/** A rule that makes something go wrong on purpose. What was not given is null. */
export type FaultBody = {readonly [Field in keyof CreateFault]-?: Exclude<CreateFault[Field], undefined>} & {
	readonly id: string;
	/** Null: the daemon's. */
	readonly inbox_id: string | null;
	readonly expires_at: string | null;
	readonly created_at: string;
	/** Occasions that matched. */
	readonly seen: number;
	/** Those on which it acted. */
	readonly hit_count: number;
};

export const faultFields = fieldsOf<FaultBody>()(
	'id inbox_id name stage match reply times after per delay_ms byte_delay_ms drop rate probability seed ttl expires_at created_at seen hit_count',
);

/** In the order in which they are asked, the oldest first. */
export type FaultListBody = {readonly faults: readonly FaultBody[]};

/** One time that a fault acted. Long texts are cut. */
export type FaultHitBody = {
	readonly id: string;
	/** Null: by an address that asks for it. */
	readonly fault_id: string | null;
	/** Of the fault. */
	readonly name: string | null;
	/** Whose fault it is; null: the daemon's. */
	readonly inbox_id: string | null;
	readonly time: string;
	readonly stage: FaultStage;
	readonly client: {readonly host: string; readonly helo: string | null};
	/** As which the client had logged in, or tried to. */
	readonly user: string | null;
	/** As far as it was known. */
	readonly envelope: {readonly from: string | null; readonly to: readonly string[]};
	/** The whole line that the fault had the client be told; null: none. */
	readonly reply: string | null;
	readonly drop: FaultDrop | null;
	readonly delay_ms: number;
	/** The message that was kept although the connection ended. */
	readonly message_id: string | null;
};

export const faultHitFields = fieldsOf<FaultHitBody>()(
	'id fault_id name inbox_id time stage client user envelope reply drop delay_ms message_id',
);

/** What a list of hits is asked for. */
export type ListFaultHits = Partial<Page> & {
	/** Whole seconds, at most `maxWait`, to wait for so many hits. */
	readonly wait?: number | undefined;
	/** With `wait`: how many hits to wait for, in all; 1 unless given. */
	readonly count?: number | undefined;
};

/** The newest first. */
export type FaultHitListBody = Page & {readonly hits: readonly FaultHitBody[]; readonly total: number};

/** What the client of a hit was told. */
type Told = Pick<FaultHitBody, 'reply' | 'drop' | 'delay_ms'>;

/** A hit in one line, as in `RCPT <a@b.test> from 127.0.0.1: answered 451 4.7.1 Try again later`. It repeats text from outside. */
export function describeFaultHit(hit: Told & Pick<FaultHitBody, 'stage' | 'client' | 'user' | 'envelope'>): string {
	const {stage, client, user, envelope} = hit;
	const {from, to} = envelope;
	const address = stage === 'auth' ? user : stage === 'mail' ? from : to.map(recipient => `<${recipient}>`).join(', ');
	return `${stage.toUpperCase()}${address ? ` ${address}` : ''} from ${client.host}: ${describeEffect(hit)}`;
}

/** What became of the client, as it follows "was": `answered 451 4.7.1 Try again later after 5 s`. It repeats text from outside. */
export function describeEffect({reply, drop, delay_ms}: Told): string {
	const what = [reply && `answered ${reply}`, drop && dropWords[drop]].filter(Boolean).join(', ');
	const late = delay_ms > 0 ? `${delay_ms / 1000} s` : '';
	return what === '' ? (late ? `delayed by ${late}` : 'slowed down') : `${what}${late && ` after ${late}`}`;
}

/** What becomes of a client that is dropped, as it follows "is" and "was". */
export const dropWords: Readonly<Record<FaultDrop, string>> = {
	before: 'dropped without a reply',
	mid: 'dropped in the middle',
	after_commit: 'kept, then dropped without a reply',
};
