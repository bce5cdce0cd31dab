import {describeFault} from '../../../client/fault-words.js';
import {describeEffect} from '../../../contract/descriptions.js';
import type {FaultBody, FaultHitBody} from '../../../contract/faults.js';
import {sanitizeLine, shellQuote} from '../../../lib/text/sanitize.js';
import {formatDuration} from '../../../lib/text/units.js';
import {Exit, exitCodes} from '../../output/exit.js';
import type {FaultHolder} from './holder.js';

type Awaited = {
	readonly count: number;
	/** Milliseconds. */
	readonly timeout: number;
	/** Fewer than that. */
	readonly found: readonly FaultHitBody[];
};

/** The error of a wait that timed out, for a CI log: the hits so far and the number that is missing. */
export function didNotAct(fault: FaultBody, {name, words}: FaultHolder, {count, timeout, found}: Awaited): Exit {
	const called = fault.name ?? fault.id;
	const had = found.length === 0 ? 'had no hits' : `had ${hits(found.length)} instead of ${count}`;
	const lines = [
		`"${called}" of ${name} ${had} within ${formatDuration(timeout)}.`,
		...found.map(describe),
		`${hits(count - found.length)} missing. ${reasonOf(fault)}`,
	];
	return new Exit(exitCodes.timedOut, 'timeout', lines.map(sanitizeLine).join('\n'), {
		hint: `Wait longer with --timeout, or check again: tinbox faults hits ${words} ${shellQuote(called)}`,
		details: {fault, hits: found, missing: count - found.length},
	});
}

function describe(hit: FaultHitBody): string {
	const {time, client, stage, user, envelope} = hit;
	const clock = new Date(time).toTimeString().slice(0, 8);
	const who = client.helo === null ? client.host : `${client.host} (${client.helo})`;
	const as = user === null ? '' : ` as ${user}`;
	const from = envelope.from === null ? '' : ` from <${envelope.from}>`;
	const to = envelope.to.length === 0 ? '' : ` to ${envelope.to.map(address => `<${address}>`).join(', ')}`;
	return `  ${clock} ${who} at ${stage}${as}${from}${to}: ${describeEffect(hit)}`;
}

/** Explains the missing hits from the counts of the fault. */
function reasonOf(fault: FaultBody): string {
	const {stage, seen, hit_count, times: most, per} = fault;
	const does = `Fault at ${stage}: ${describeFault(fault)}.`;
	if (most !== null && per === null && hit_count >= most) {
		return `The fault reached its limit of ${hits(most)}.`;
	}

	if (seen === 0) {
		return `No client reached the stage. ${does}`;
	}

	return seen > hit_count
		? `The fault skipped ${seen - hit_count} of ${seen} matches. ${does}`
		: `${per === null ? 'No client retried' : `No other ${per} matched`}. ${does}`;
}

function hits(count: number): string {
	return `${count} ${count === 1 ? 'hit' : 'hits'}`;
}
