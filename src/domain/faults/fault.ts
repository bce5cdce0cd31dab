import {createHash} from 'node:crypto';
import type {FaultDrop, FaultKey, FaultStage} from '../../contract/constants.js';
import type {FaultMatch, FaultRate} from '../../contract/faults.js';

/** A rule that makes something go wrong on purpose. It never changes. */
export type Fault = {
	readonly id: string;
	/** Whose it is; null: the daemon's. */
	readonly inboxId: string | null;
	readonly name: string | null;
	readonly stage: FaultStage;
	readonly match: FaultMatch | null;
	/** A reply as it was given; `readFaultReply` reads it. */
	readonly reply: string | null;
	readonly times: number | null;
	readonly after: number | null;
	readonly per: FaultKey | null;
	readonly delayMs: number | null;
	readonly byteDelayMs: number | null;
	readonly drop: FaultDrop | null;
	readonly rate: FaultRate | null;
	readonly probability: number | null;
	readonly seed: number | null;
	readonly ttlSeconds: number | null;
	readonly expiresAt: string | null;
	readonly createdAt: string;
};

/** What happened under one key of a fault. */
export type FaultCount = {
	/** Occasions that matched. */
	readonly seen: number;
	/** Those on which the fault acted. */
	readonly acted: number;
	/** When the newest others were (milliseconds), the oldest first: as many as a rate asks for. */
	readonly passedAt: readonly number[];
};

export const noCount: FaultCount = {seen: 0, acted: 0, passedAt: []};

/** A fault, and what happened so far under all of its keys. */
export type CountedFault = {readonly fault: Fault; readonly seen: number; readonly acted: number};

/** One time that a fault acted. */
export type FaultHit = {
	readonly id: string;
	/** Null: by an address that asks for it. */
	readonly faultId: string | null;
	readonly name: string | null;
	readonly inboxId: string | null;
	readonly time: string;
	readonly stage: FaultStage;
	readonly client: {readonly host: string; readonly helo: string | null};
	readonly user: string | null;
	readonly envelope: {readonly from: string | null; readonly to: readonly string[]};
	readonly reply: string | null;
	readonly drop: FaultDrop | null;
	readonly delayMs: number;
	readonly messageId: string | null;
};

/** A reply with its enhanced code (RFC 3463). */
export type FaultReply = {readonly code: number; readonly enhanced: string; readonly text: string};

/** What the client gets to see of a fault that acts. */
export type FaultEffect = {
	/** Null: by an address that asks for it. */
	readonly faultId: string | null;
	/** Null: what would have been said without the fault. */
	readonly reply: FaultReply | null;
	readonly delayMs: number;
	readonly byteDelayMs: number;
	readonly drop: FaultDrop | null;
};

/** The reply of a rate that says none. */
const rateReply: FaultReply = {
	code: 450,
	enhanced: '4.7.1',
	text: 'Rate limit exceeded: too many messages in a short time, try again later',
};

const defaultText = 'Simulated failure';

/**
 * Parses a reply such as `451 4.7.1 Try again later`. The enhanced code defaults to X.0.0 of the class, the text to `text`.
 * Returns undefined for anything else. Does not check that the classes of both codes agree.
 */
export function readFaultReply(reply: string, text = defaultText): FaultReply | undefined {
	const [, code, enhanced, given = ''] =
		/^([45]\d\d)(?: +(\d{1,3}\.\d{1,3}\.\d{1,3})(?= |$))?(?: +([\x20-\x7e]*))?$/.exec(reply.trim()) ?? [];
	return code === undefined
		? undefined
		: {code: Number(code), enhanced: enhanced ?? `${code[0]}.0.0`, text: given || text};
}

export function effectOf({id, reply, rate, delayMs, byteDelayMs, drop}: Fault): FaultEffect {
	const isSilent = rate === null || drop === 'after_commit';
	return {
		faultId: id,
		reply: (reply === null ? undefined : readFaultReply(reply)) ?? (isSilent ? null : rateReply),
		delayMs: delayMs ?? 0,
		byteDelayMs: byteDelayMs ?? 0,
		drop,
	};
}

/** What both do together: both delays, and what else the later does. */
export function bothEffects(one: FaultEffect | null, other: FaultEffect | null): FaultEffect | null {
	return one && other ? {...other, delayMs: one.delayMs + other.delayMs} : (other ?? one);
}

/** The line that a reply is. */
export function replyLine({code, enhanced, text}: FaultReply): string {
	return `${code} ${enhanced} ${text}`;
}

/** Counts one occasion that matched, at a time in milliseconds, and tells whether the fault acts on it. */
export function countOccasion(
	fault: Pick<Fault, 'after' | 'times' | 'rate' | 'probability' | 'seed'>,
	{seen, acted, passedAt}: FaultCount,
	now: number,
): {readonly count: FaultCount; readonly acts: boolean} {
	const {after, times, rate, probability, seed} = fault;
	const n = seen + 1;
	// It is the one that ends the rate: no more are kept than it lets pass.
	const [oldest = 0] = passedAt;
	const isWithin = rate !== null && (passedAt.length < rate.count || oldest <= now - rate.seconds * 1000);
	const acts =
		n > (after ?? 0) &&
		!isWithin &&
		(probability === null || draw(seed ?? 0, n) < probability) &&
		(times === null || acted < times);
	return acts
		? {acts, count: {seen: n, acted: acted + 1, passedAt}}
		: {acts, count: {seen: n, acted, passedAt: rate ? [...passedAt, now].slice(-rate.count) : []}};
}

/** The n-th number of the sequence of a seed, at least 0 and less than 1. */
export function draw(seed: number, n: number): number {
	return createHash('sha256').update(`${seed}:${n}`).digest().readUIntBE(0, 6) / 2 ** 48;
}
