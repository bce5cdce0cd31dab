import {droppedByFault, type FaultStage} from '../contract/constants.js';
import type {RefusalBody} from '../contract/daemon.js';
import {describeEffect, describeRefusal} from '../contract/descriptions.js';
import type {FaultHitBody} from '../contract/faults.js';

/** Refusals and fault hits are reported from this long before the wait: the app may have sent its mail before. */
const leadMs = 60_000;

/** Start of the period of which a wait reports refusals and fault hits, ISO 8601. */
export function wentWrongSince(began: Date): string {
	return new Date(began.getTime() - leadMs).toISOString();
}

/** Lines about fault hits, mail refused for other reasons, and evicted messages. They contain untrusted text. */
export function wentWrongMeanwhile(
	refusals: readonly RefusalBody[],
	hits: readonly FaultHitBody[],
	evicted = 0,
): readonly string[] {
	const isOf = ({reply, reason}: RefusalBody) =>
		hits.some(hit => (reply === null ? hit.drop !== null && reason === droppedByFault : hit.reply === reply));
	return [
		...faultsMeanwhile(hits),
		...refusedMeanwhile(refusals.filter(refusal => !isOf(refusal))),
		...(evicted === 0
			? []
			: [`${evictedMessages(evicted)} evicted: the inbox reached its message limit or age limit.`]),
	];
}

function evictedMessages(count: number): string {
	return count === 1 ? '1 message was' : `${count} messages were`;
}

/** Stages before there is a mail. */
const early: readonly FaultStage[] = ['connect', 'helo', 'starttls', 'auth'];

/** A line for each fault and effect; hits come newest first. */
function faultsMeanwhile(hits: readonly FaultHitBody[]): readonly string[] {
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

/** How many refusals are shown one by one. */
const shown = 3;

function refusedMeanwhile(refusals: readonly RefusalBody[]): readonly string[] {
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
		...refusals.slice(0, shown).map(refusal => `  ${describeRefusal(refusal)}`),
		...(length > shown ? [`  and ${length - shown} more`] : []),
	];
}
