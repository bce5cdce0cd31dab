import {dropWords} from '../contract/descriptions.js';
import type {CreateFault, FaultBody} from '../contract/faults.js';
import {formatDuration} from '../lib/text/units.js';

type Fault = CreateFault | FaultBody;

/** Names of the values that the patterns of a fault match. */
const matched: Readonly<Record<string, string>> = {
	from: 'sender',
	to: 'recipient',
	subject: 'subject',
	user: 'SMTP user',
};

/** Describes the effect and the conditions of a fault: `451 4.7.1 Try again later; once per recipient`. Contains untrusted text. */
export function describeFault(fault: Fault): string {
	const {reply, rate, delay_ms, byte_delay_ms, drop, match, after, probability} = fault;
	const patterns = Object.entries(match ?? {}).flatMap(([name, pattern]) =>
		pattern ? `${matched[name] ?? name} matches "${pattern}"` : [],
	);
	return [
		reply ?? (rate && 'rejected'),
		delay_ms && `delayed by ${formatDuration(delay_ms)}`,
		byte_delay_ms && `one byte every ${formatDuration(byte_delay_ms)}`,
		drop && dropWords[drop],
		rate && `if more than ${rate.count} in ${formatDuration(rate.seconds * 1000)}`,
		after && `after the first ${after === 1 ? 'one' : after}`,
		timesOf(fault),
		typeof probability === 'number' && `with probability ${probability}`,
		patterns.length > 0 && `if ${patterns.join(' and ')}`,
	]
		.filter(Boolean)
		.join('; ');
}

function timesOf({times, per}: Fault): string {
	const howOften = times ? (times === 1 ? 'once' : `${times} times`) : '';
	return [howOften, per && `per ${per}`].filter(Boolean).join(' ');
}
