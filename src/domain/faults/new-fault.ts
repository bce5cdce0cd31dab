import {randomInt} from 'node:crypto';
import {v7 as createId} from 'uuid';
import {type FaultStage, faultStages, inboxFaultStages} from '../../contract/constants.js';
import {invalidField} from '../errors.js';
import {type Fault, readFaultReply} from './fault.js';
import {type MatchTexts, matchFields, regexesIn} from './match.js';

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
