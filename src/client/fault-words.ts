import {type CreateFault, dropWords, type FaultBody} from '../contract/faults.js';
import {formatDuration} from '../lib/units.js';

type Fault = CreateFault | FaultBody;

/** What a fault does, and when: `451 4.7.1 Try again later; once for each recipient`. It repeats text from outside. */
export function describeFault(fault: Fault): string {
	const {reply, rate, delay_ms, byte_delay_ms, drop, match, after, probability} = fault;
	const patterns = Object.entries(match ?? {}).flatMap(([name, pattern]) => (pattern ? `${name} "${pattern}"` : []));
	return [
		reply ?? (rate && 'refused'),
		delay_ms && `${formatDuration(delay_ms)} late`,
		byte_delay_ms && `a byte each ${formatDuration(byte_delay_ms)}`,
		drop && dropWords[drop],
		rate && `beyond ${rate.count} in ${formatDuration(rate.seconds * 1000)}`,
		after && `after the first ${after === 1 ? 'one' : after}`,
		timesOf(fault),
		typeof probability === 'number' && `with probability ${probability}`,
		patterns.length > 0 && `for ${patterns.join(' and ')}`,
	]
		.filter(Boolean)
		.join('; ');
}

function timesOf({times, per}: Fault): string {
	const howOften = times ? (times === 1 ? 'once' : `${times} times`) : '';
	return [howOften, per && `for each ${per}`].filter(Boolean).join(' ');
}
