import {randomInt} from 'node:crypto';
import {v7 as createId} from 'uuid';
import {type FaultStage, faultStages, inboxFaultStages} from '../../contract/constants.js';
import {invalidField} from '../errors.js';
import {type Fault, readFaultReply} from './fault.js';
import {type MatchTexts, matchFields, regexesIn} from './match.js';

/** A fault as somebody asks for it, with each number in its range. */
export type NewFault = Omit<Fault, 'id' | 'inboxId' | 'expiresAt' | 'createdAt'>;

/** The stage from which on there is something to compare. */
const knownFrom: Readonly<Record<keyof MatchTexts, FaultStage>> = {
	user: 'auth',
	from: 'mail',
	to: 'rcpt',
	subject: 'end',
};

/** What has a count of its own, and the stage at which it is known. */
const stageOfKey = {recipient: 'rcpt', message: 'end'} as const;

/**
 * The fault, made now. Throws `invalid_input` naming the field that is wrong or does not go with the others; whether regular
 * expressions can be used, only compiling tells.
 */
export function makeFault(given: NewFault, inboxId: string | null, now: Date): Fault {
	assertStage(given.stage, inboxId);
	assertMatch(given);
	assertReply(given.reply);
	assertEffect(given);
	const {stage, per, probability, seed, ttlSeconds} = given;
	if (per !== null && stageOfKey[per] !== stage) {
		throw invalidField('per', `can be "${per}" only at stage "${stageOfKey[per]}", but the stage is "${stage}"`);
	}

	return {
		...given,
		id: createId(),
		inboxId,
		seed: seed ?? (probability === null ? null : randomInt(2 ** 31)),
		createdAt: now.toISOString(),
		expiresAt: ttlSeconds === null ? null : new Date(now.getTime() + ttlSeconds * 1000).toISOString(),
	};
}

function assertStage(stage: FaultStage, inboxId: string | null): void {
	if (inboxId !== null && !inboxFaultStages.some(seen => seen === stage)) {
		throw invalidField(
			'stage',
			`cannot be "${stage}" for an inbox: before AUTH, the inbox of a connection is unknown. Choose ${inboxFaultStages.join(', ')}, or create a fault for the whole daemon: "tinbox faults add --daemon --stage ${stage}", POST /v1/faults`,
		);
	}
}

function assertMatch({stage, match}: NewFault): void {
	regexesIn(match);
	for (const name of matchFields) {
		const from = knownFrom[name];
		if (match?.[name] !== undefined && faultStages.indexOf(stage) < faultStages.indexOf(from)) {
			const known = faultStages.slice(faultStages.indexOf(from)).join(', ');
			throw invalidField(
				`match.${name}`,
				`is not available at stage "${stage}". Remove it, or choose one of these stages: ${known}`,
			);
		}
	}
}

/** Code and enhanced code agree: RFC 3463, section 2. */
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
