import type {MessageSummaryBody, MissesBody} from '../contract/messages.js';
import {ago, formatDuration} from '../lib/text/units.js';
import {wentWrongMeanwhile} from './went-wrong.js';

/** A wait that timed out. */
export type TimedOutWait = {
	/** Address of the inbox. */
	readonly address: string;
	/** The filter as a continuation of "message": see `describeFilter`. */
	readonly wanted: string;
	/** Number of messages expected, and number found. */
	readonly count: number;
	readonly found: number;
	readonly timeoutMs: number;
	readonly now: Date;
};

/** Maximum number of messages that did not match and are listed. */
export const arrivalsTold = 5;

/** Error lines of a wait that timed out: near misses with reasons, fault hits, refused mail and evicted messages. They contain untrusted text. */
export function timedOutLines(
	{address, wanted, count, found, timeoutMs, now}: TimedOutWait,
	{misses, refusals, hits, evicted}: MissesBody,
): readonly string[] {
	const howMany = count === 1 ? 'No message' : `Only ${found} of ${count} messages`;
	return [
		`${howMany}${wanted} arrived at ${address} within ${formatDuration(timeoutMs)}.`,
		misses.length === 0 ? 'No other message arrived.' : 'Arrived, but did not match (closest first):',
		...misses.flatMap(({message, reasons}) => [arrivalLine(message, now), ...reasons.map(reason => `    ${reason}`)]),
		...wentWrongMeanwhile(refusals, hits, evicted),
	];
}

/** Describes a message in one line. Contains untrusted text. */
export function arrivalLine(
	{subject, from, received_at}: Pick<MessageSummaryBody, 'subject' | 'from' | 'received_at'>,
	now: Date,
): string {
	return `  "${subject}" from ${from}, ${ago(received_at, now)}`;
}
