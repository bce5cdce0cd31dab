import {describeFault} from '../../../client/fault-words.js';
import {describeEffect, type FaultBody, type FaultHitBody} from '../../../contract/faults.js';
import {sanitizeLine, shellQuote} from '../../../lib/sanitize.js';
import {formatDuration} from '../../../lib/units.js';
import {Exit, exitCodes} from '../../output/exit.js';
import type {FaultHolder} from './holder.js';

type Awaited = {
	readonly count: number;
	/** Milliseconds. */
	readonly timeout: number;
	/** Fewer than that. */
	readonly found: readonly FaultHitBody[];
};

/** The error of a wait that timed out, for the reader of a CI log: who came when and what was answered, and what is missing. */
export function didNotAct(fault: FaultBody, {name, words}: FaultHolder, {count, timeout, found}: Awaited): Exit {
	const called = fault.name ?? fault.id;
	const acted = found.length === 0 ? 'did not act' : `acted ${times(found.length)} instead of ${times(count)}`;
	const lines = [
		`"${called}" of ${name} ${acted} within ${formatDuration(timeout)}.`,
		...found.map(describe),
		`${count - found.length} more ${count - found.length === 1 ? 'hit is' : 'hits are'} missing. ${reasonOf(fault)}`,
	];
	return new Exit(exitCodes.timedOut, 'timeout', lines.map(sanitizeLine).join('\n'), {
		hint: `Wait longer with --timeout, or look again: tinbox faults hits ${words} ${shellQuote(called)}`,
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

/** Why there were no more, as far as its counts tell. */
function reasonOf(fault: FaultBody): string {
	const {stage, seen, hit_count, times: most, per} = fault;
	const does = `It acts at ${stage}: ${describeFault(fault)}.`;
	if (most !== null && per === null && hit_count >= most) {
		return `It is over: it acts ${times(most)}.`;
	}

	if (seen === 0) {
		return `Nobody came to where it acts. ${does}`;
	}

	return seen > hit_count ? `It let ${seen - hit_count} of ${seen} pass. ${does}` : `Nobody came again. ${does}`;
}

function times(count: number): string {
	return count === 1 ? 'once' : `${count} times`;
}
