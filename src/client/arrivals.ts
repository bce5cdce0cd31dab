import type {MessageSummaryBody, MissesBody} from '../contract/messages.js';
import {ago} from '../lib/ago.js';
import {formatDuration} from '../lib/units.js';
import {wentWrongMeanwhile} from './went-wrong.js';

/** A wait that timed out. */
export type TimedOutWait = {
	/** Of the inbox. */
	readonly address: string;
	/** The filter in words, as they follow "message". */
	readonly wanted: string;
	/** How many messages were to come, and how many did. */
	readonly count: number;
	readonly found: number;
	readonly timeoutMs: number;
	readonly now: Date;
};

/** How many of the messages that did arrive are worth telling of. */
export const arrivalsTold = 5;

/** What a wait that timed out says: what did arrive, why it did not fit, what was refused, and what was evicted. The lines repeat text from outside. */
export function timedOutLines(
	{address, wanted, count, found, timeoutMs, now}: TimedOutWait,
	{misses, refusals, hits, evicted}: MissesBody,
): readonly string[] {
	const howMany = count === 1 ? 'No message' : `Only ${found} of ${count} messages`;
	return [
		`${howMany}${wanted} came to ${address} within ${formatDuration(timeoutMs)}.`,
		misses.length === 0 ? 'Nothing else arrived.' : 'What did arrive, the nearest first:',
		...misses.flatMap(({message, reasons}) => [arrivalLine(message, now), ...reasons.map(reason => `    ${reason}`)]),
		...wentWrongMeanwhile(refusals, hits, evicted),
	];
}

/** A message that arrived, in one line. It repeats text from outside. */
export function arrivalLine(
	{subject, from, received_at}: Pick<MessageSummaryBody, 'subject' | 'from' | 'received_at'>,
	now: Date,
): string {
	return `  "${subject}" from ${from}, ${ago(received_at, now)}`;
}
