import {describeEffect, type FaultHitBody, type FaultStage} from '../contract/faults.js';
import {describeRefusal, droppedByFault, type RefusalBody} from '../contract/refusals.js';

/** How long before a wait what it waits for may have been sent. */
const leadMs = 60_000;

/** What went wrong from then on is of interest to a wait that began at this time: ISO 8601. */
export function wentWrongSince(began: Date): string {
	return new Date(began.getTime() - leadMs).toISOString();
}

/**
 * Says in lines what faults did while somebody waited, what was refused for other reasons, and what was evicted; none when nothing
 * was. They repeat text from outside.
 */
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
		...(evicted === 0 ? [] : [`${evictedMessages(evicted)} evicted, as the inbox keeps only so many, or for so long.`]),
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
		const who = fault_id === null ? 'as the address asks for' : `by ${name ?? `the fault ${fault_id}`}`;
		const clock = new Date(time).toTimeString().slice(0, 8);
		return `${count} ${what} ${describeEffect(latest)} ${who}, ${count === 1 ? '' : 'the last '}at ${clock}.`;
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
		return [`1 ${isMail ? 'mail' : 'connection'} was refused meanwhile: ${describeRefusal(first)}`];
	}

	const {length} = refusals;
	return [
		`${length} ${isMail ? 'mails' : 'mails or connections'} were refused meanwhile:`,
		...refusals.slice(0, shown).map(refusal => `  ${describeRefusal(refusal)}`),
		...(length > shown ? [`  and ${length - shown} more`] : []),
	];
}
