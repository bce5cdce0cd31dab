import type {Client} from '../../../client/index.js';
import {arrivalLine, maxArrivals, problemsSince, timeoutLines} from '../../../client/timeout-report.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import type {MessageFilter, MessageSummaryBody} from '../../../contract/messages.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {Exit, exitCodes} from '../../output/exit.js';

export type WaitResult = {
	readonly inbox: InboxBody;
	readonly filter: MessageFilter;
	/** True if messages before the wait are ignored. */
	readonly isFromNow: boolean;
	/** Description of the filter, to follow the word "message". */
	readonly wanted: string;
	readonly count: number;
	/** Milliseconds. */
	readonly timeout: number;
	readonly found: readonly MessageSummaryBody[];
	readonly began: Date;
	readonly now: Date;
};

/** Error for a wait that timed out: lists the messages that arrived and why they did not match, for a CI log. */
export async function timedOut(
	{messages}: Pick<Client, 'messages'>,
	{inbox, filter, isFromNow, wanted, count, timeout, found, began, now}: WaitResult,
): Promise<Exit> {
	// A wait that accepts existing messages may have missed any evicted message, not only recent ones.
	const evictedAfter = isFromNow || filter.after !== undefined ? inbox.evicted : undefined;
	const asked = {limit: maxArrivals, since: problemsSince(began), evictedAfter};
	const arrived = await messages.misses(inbox.id, filter, asked);
	const {misses, refusals, hits, evicted} = arrived;
	const told = {address: inbox.email_address, wanted, count, found: found.length, timeoutMs: timeout, now};
	const lines = timeoutLines(told, arrived);
	return new Exit(exitCodes.timedOut, 'timeout', lines.map(sanitizeLine).join('\n'), {
		hint: `Wait longer with --timeout, or check again: tinbox messages list ${inbox.email_address}`,
		details: {
			...(count > 1 && {matched: found.map(summary)}),
			arrived: misses.map(({message, reasons}) => ({...summary(message), reasons})),
			refused: refusals,
			faults: hits,
			evicted,
		},
	});
}

/** Error for a wait with `--absent` that received messages. */
export function unexpectedMessages({inbox, wanted, found, now}: WaitResult): Exit {
	const lines = [
		`Expected no message${wanted} in ${inbox.email_address}, but received:`,
		...found.map(message => arrivalLine(message, now)),
	];
	return new Exit(exitCodes.conditionFailed, 'unwelcome_message', lines.map(sanitizeLine).join('\n'), {
		hint: `Read it: tinbox messages show ${inbox.email_address} ${found[0]?.id}`,
		details: {arrived: found.map(summary)},
	});
}

function summary({id, from, to, subject, received_at}: MessageSummaryBody) {
	return {id, from, to, subject, received_at};
}
