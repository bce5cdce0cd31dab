import {droppedByFault, type FaultStage} from '../contract/constants.js';
import type {RefusalBody} from '../contract/daemon.js';
import {describeEffect, describeRefusal} from '../contract/descriptions.js';
import type {FaultHitBody} from '../contract/faults.js';
import type {MessageSummaryBody, MissesBody} from '../contract/messages.js';
import {ago, formatDuration} from '../lib/text/units.js';

/** Facts about a wait that timed out. */
type TimedOutWait = {
	/** Address of the inbox. */
	readonly address: string;
	/** The filter as a continuation of "message": see `describeFilter`. */
	readonly wanted: string;
	readonly count: number;
	readonly found: number;
	readonly timeoutMs: number;
	readonly now: Date;
};

/** Maximum number of messages that did not match and are listed. */
export const maxArrivals = 5;

/** Error lines of a wait that timed out: near misses with reasons, fault hits, refused mail and evicted messages. They contain untrusted text. */
export function timeoutLines(
	{address, wanted, count, found, timeoutMs, now}: TimedOutWait,
	{misses, refusals, hits, evicted}: MissesBody,
): readonly string[] {
	const howMany = count === 1 ? 'No message' : `Only ${found} of ${count} messages`;
	return [
		`${howMany}${wanted} arrived at ${address} within ${formatDuration(timeoutMs)}.`,
		misses.length === 0 ? 'No other message arrived.' : 'Arrived, but did not match (closest first):',
		...misses.flatMap(({message, reasons}) => [arrivalLine(message, now), ...reasons.map(reason => `    ${reason}`)]),
		...problemLines(refusals, hits, evicted),
	];
}

/** Describes a message in one line. Contains untrusted text. */
export function arrivalLine(
	{subject, from, received_at}: Pick<MessageSummaryBody, 'subject' | 'from' | 'received_at'>,
	now: Date,
): string {
	return `  "${subject}" from ${from}, ${ago(received_at, now)}`;
}

/** Time before the wait for which refusals and fault hits are reported: the app may have sent its mail earlier. */
const leadMs = 60_000;

/** Start of the period of which a wait reports refusals and fault hits, ISO 8601. */
export function problemsSince(began: Date): string {
	return new Date(began.getTime() - leadMs).toISOString();
}

/** Lines about fault hits, mail refused for other reasons, and evicted messages. They contain untrusted text. */
export function problemLines(
	refusals: readonly RefusalBody[],
	hits: readonly FaultHitBody[],
	evicted = 0,
): readonly string[] {
	const isOf = ({reply, reason}: RefusalBody) =>
		hits.some(hit => (reply === null ? hit.drop !== null && reason === droppedByFault : hit.reply === reply));
	return [
		...faultLines(hits),
		...refusalLines(refusals.filter(refusal => !isOf(refusal))),
		...(evicted === 0
			? []
			: [`${evictedMessages(evicted)} evicted: the inbox reached its message limit or age limit.`]),
	];
}

function evictedMessages(count: number): string {
	return count === 1 ? '1 message was' : `${count} messages were`;
}

/** Stages before a mail begins. */
const early: readonly FaultStage[] = ['connect', 'helo', 'starttls', 'auth'];

/** Lines for hits (newest first), one for each fault and effect. */
function faultLines(hits: readonly FaultHitBody[]): readonly string[] {
	const groups = new Map<string, {readonly latest: FaultHitBody; count: number}>();
	for (const hit of hits) {
		const key = `${hit.fault_id}\n${describeEffect(hit)}`;
		const group = groups.get(key) ?? {latest: hit, count: 0};
		group.count++;
		groups.set(key, group);
	}

	return [...groups.values()].map(({latest, count}) => {
		const {stage, name, fault_id, time} = latest;
		const what = `${early.includes(stage) ? 'connection' : 'mail'}${count === 1 ? ' was' : 's were'}`;
		const cause = fault_id === null ? 'because of its fault address' : `by fault "${name ?? fault_id}"`;
		const clock = new Date(time).toTimeString().slice(0, 8);
		return `${count} ${what} ${describeEffect(latest)} ${cause}${count === 1 ? '' : ', most recently'} at ${clock}.`;
	});
}

/** Maximum number of refusals that are listed. */
const maxRefusalLines = 3;

function refusalLines(refusals: readonly RefusalBody[]): readonly string[] {
	const [first, ...others] = refusals;
	if (!first) {
		return [];
	}

	const isMail = refusals.every(({stage}) => stage !== 'connect' && stage !== 'tls' && stage !== 'auth');
	if (others.length === 0) {
		return [`1 ${isMail ? 'mail' : 'connection'} was rejected recently: ${describeRefusal(first)}`];
	}

	const {length} = refusals;
	return [
		`${length} ${isMail ? 'mails' : 'mails or connections'} were rejected recently (newest first):`,
		...refusals.slice(0, maxRefusalLines).map(refusal => `  ${describeRefusal(refusal)}`),
		...(length > maxRefusalLines ? [`  and ${length - maxRefusalLines} more`] : []),
	];
}
