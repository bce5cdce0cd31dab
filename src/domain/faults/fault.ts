import {createHash, randomInt} from 'node:crypto';
import {v7 as createId} from 'uuid';
import {
	type FaultDrop,
	type FaultKey,
	type FaultStage,
	faultStages,
	inboxFaultStages,
} from '../../contract/constants.js';
import type {FaultMatch, FaultRate} from '../../contract/faults.js';
import {invalidField} from '../errors.js';
import {type MatchTexts, matchFields, regexesIn} from './match.js';

/** Rule that makes mail fail on purpose. Immutable. */
export type Fault = {
	readonly id: string;
	/** Inbox that it belongs to; null for the daemon. */
	readonly inboxId: string | null;
	readonly name: string | null;
	readonly stage: FaultStage;
	readonly match: FaultMatch | null;
	/** Reply as specified; `readFaultReply` parses it. */
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

/** Counters of a fault for one key (a recipient, a message, or all). */
export type FaultCount = {
	/** Number of matching events. */
	readonly seen: number;
	/** Number of hits. */
	readonly acted: number;
	/** Times (milliseconds) of the newest matching events without a hit, oldest first; as many as the rate allows. */
	readonly passedAt: readonly number[];
};

export const noCount: FaultCount = {seen: 0, acted: 0, passedAt: []};

/** Fault with its counters, summed over all keys. */
export type CountedFault = {readonly fault: Fault; readonly seen: number; readonly acted: number};

/** Hit of a fault. */
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

/** SMTP reply with its enhanced code (RFC 3463). */
export type FaultReply = {readonly code: number; readonly enhanced: string; readonly text: string};

/** Effect of a fault on the client. */
export type FaultEffect = {
	/** Null: by an address that asks for it. */
	readonly faultId: string | null;
	/** Null if the normal reply is sent. */
	readonly reply: FaultReply | null;
	readonly delayMs: number;
	readonly byteDelayMs: number;
	readonly drop: FaultDrop | null;
};

/** Default reply of a rate limit. */
const rateReply: FaultReply = {
	code: 450,
	enhanced: '4.7.1',
	text: 'Rate limit exceeded: too many messages in a short time, try again later',
};

const defaultText = 'Simulated failure';

/**
 * Parses a reply such as `451 4.7.1 Try again later`. The enhanced code defaults to X.0.0 of the class, the text to
 * `text`. Returns undefined for invalid input. Does not check that the classes of both codes agree.
 */
export function readFaultReply(reply: string, text = defaultText): FaultReply | undefined {
	const [, code, enhanced, replyText = ''] =
		/^([45]\d\d)(?: +(\d{1,3}\.\d{1,3}\.\d{1,3})(?= |$))?(?: +([\x20-\x7e]*))?$/.exec(reply.trim()) ?? [];
	return code === undefined
		? undefined
		: {code: Number(code), enhanced: enhanced ?? `${code[0]}.0.0`, text: replyText || text};
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

/** Combines two effects: adds the delays; the rest is taken from the later one. */
export function combineEffects(one: FaultEffect | null, other: FaultEffect | null): FaultEffect | null {
	return one && other ? {...other, delayMs: one.delayMs + other.delayMs} : (other ?? one);
}

/** Formats a reply as one line. */
export function replyLine({code, enhanced, text}: FaultReply): string {
	return `${code} ${enhanced} ${text}`;
}

/** Counts a matching event at `now` (milliseconds) and decides whether the fault acts on it. */
export function countEvent(
	fault: Pick<Fault, 'after' | 'times' | 'rate' | 'probability' | 'seed'>,
	{seen, acted, passedAt}: FaultCount,
	now: number,
): {readonly count: FaultCount; readonly acts: boolean} {
	const {after, times, rate, probability, seed} = fault;
	const n = seen + 1;
	// At most `count` times are stored, so the oldest must have left the window.
	const [oldest = 0] = passedAt;
	const isWithinRate = rate !== null && (passedAt.length < rate.count || oldest <= now - rate.seconds * 1000);
	const acts =
		n > (after ?? 0) &&
		!isWithinRate &&
		(probability === null || seededRandom(seed ?? 0, n) < probability) &&
		(times === null || acted < times);
	return acts
		? {acts, count: {seen: n, acted: acted + 1, passedAt}}
		: {acts, count: {seen: n, acted, passedAt: rate ? [...passedAt, now].slice(-rate.count) : []}};
}

/** Returns the n-th pseudo-random number of a seed, from 0 to less than 1. */
export function seededRandom(seed: number, n: number): number {
	return createHash('sha256').update(`${seed}:${n}`).digest().readUIntBE(0, 6) / 2 ** 48;
}

/** Precision of delays between bytes: shorter delays send several bytes at once. */
const chunkMs = 10;

/** Splits a reply as a fault sends it: in chunks with the delay before each, and only the first half if `isCut`. */
export function* slowChunks(
	reply: Buffer,
	{byteDelayMs, isCut}: {readonly byteDelayMs: number; readonly isCut: boolean},
): Generator<{readonly bytes: Buffer; readonly delayMs: number}, undefined> {
	const length = isCut ? Math.floor(reply.length / 2) : reply.length;
	const step = byteDelayMs === 0 ? Math.max(1, length) : Math.max(1, Math.floor(chunkMs / byteDelayMs));
	for (let start = 0; start < length; start += step) {
		const bytes = reply.subarray(start, Math.min(length, start + step));
		yield {bytes, delayMs: bytes.length * byteDelayMs};
	}
}

/** Fault to create, with each number in its range. */
export type NewFault = Omit<Fault, 'id' | 'inboxId' | 'expiresAt' | 'createdAt'>;

/** Earliest stage at which a text is known. */
const firstStage: Readonly<Record<keyof MatchTexts, FaultStage>> = {
	user: 'auth',
	from: 'mail',
	to: 'rcpt',
	subject: 'end',
};

/** Stage at which a counter key is known. */
const keyStage = {recipient: 'rcpt', message: 'end'} as const;

/** Creates a fault. Throws `invalid_input` for an invalid field or combination. Does not compile regular expressions. */
export function makeFault(input: NewFault, inboxId: string | null, now: Date): Fault {
	assertStage(input.stage, inboxId);
	assertMatch(input);
	assertReply(input.reply);
	assertEffect(input);
	const {stage, per, probability, seed, ttlSeconds} = input;
	if (per !== null && keyStage[per] !== stage) {
		throw invalidField('per', `can be "${per}" only at stage "${keyStage[per]}", but the stage is "${stage}"`);
	}

	return {
		...input,
		id: createId(),
		inboxId,
		seed: seed ?? (probability === null ? null : randomInt(2 ** 31)),
		createdAt: now.toISOString(),
		expiresAt: ttlSeconds === null ? null : new Date(now.getTime() + ttlSeconds * 1000).toISOString(),
	};
}

function assertStage(stage: FaultStage, inboxId: string | null): void {
	if (inboxId !== null && !inboxFaultStages.some(allowed => allowed === stage)) {
		throw invalidField(
			'stage',
			`cannot be "${stage}" for an inbox: before AUTH, the inbox of a connection is unknown. Choose ${inboxFaultStages.join(', ')}, or create a fault for the whole daemon: "tinbox faults add --daemon --stage ${stage}", POST /v1/faults`,
		);
	}
}

function assertMatch({stage, match}: NewFault): void {
	regexesIn(match);
	for (const name of matchFields) {
		const from = firstStage[name];
		if (match?.[name] !== undefined && faultStages.indexOf(stage) < faultStages.indexOf(from)) {
			const known = faultStages.slice(faultStages.indexOf(from)).join(', ');
			throw invalidField(
				`match.${name}`,
				`is not available at stage "${stage}". Remove it, or choose one of these stages: ${known}`,
			);
		}
	}
}

/** The classes of code and enhanced code must agree (RFC 3463, section 2). */
function assertReply(reply: string | null): void {
	const {code, enhanced} = (reply === null ? undefined : readFaultReply(reply)) ?? {};
	if (reply !== null && (code === undefined || enhanced === undefined)) {
		throw invalidField(
			'reply',
			'must be a 4xx or 5xx code, an optional enhanced code, and an optional text of printable ASCII, such as "451 4.7.1 Try again later"',
		);
	}

	const [digit] = String(code);
	if (enhanced !== undefined && !enhanced.startsWith(`${digit}.`)) {
		const agreeing = enhanced.replace(/^\d+/, String(digit));
		throw invalidField(
			'reply',
			`has the code ${code} and the enhanced code ${enhanced} of another class. Use ${agreeing}, or another code`,
		);
	}
}

function assertEffect({stage, reply, rate, delayMs, byteDelayMs, drop}: NewFault): void {
	if (drop === 'after_commit' && stage !== 'end') {
		throw invalidField('drop', `can be "after_commit" only at stage "end", but the stage is "${stage}"`);
	}

	if (drop === 'after_commit' && reply !== null) {
		throw invalidField(
			'drop',
			'cannot be "after_commit" together with "reply": the client gets no reply. Remove one of them',
		);
	}

	if (reply === null && rate === null && drop === null && !delayMs && !byteDelayMs) {
		throw invalidField('reply', 'is required, unless "rate", "delay_ms", "byte_delay_ms" or "drop" is set');
	}
}
