import type {Client} from '../../../client/index.js';
import {wentWrongMeanwhile, wentWrongSince} from '../../../client/went-wrong.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import type {MessageFilter, MessageSummaryBody} from '../../../contract/messages.js';
import {sanitizeLine} from '../../../lib/sanitize.js';
import {formatDuration} from '../../../lib/units.js';
import {ago} from '../../output/ago.js';
import {Exit, exitCodes} from '../../output/exit.js';

/** How many of the messages that did arrive are shown. */
const shown = 5;

export type Awaited = {
	readonly inbox: InboxBody;
	readonly filter: MessageFilter;
	/** The filter in words, as they follow "message". */
	readonly wanted: string;
	readonly count: number;
	/** Milliseconds. */
	readonly timeout: number;
	readonly found: readonly MessageSummaryBody[];
	readonly began: Date;
	readonly now: Date;
};

/** The error of a wait that timed out, for the reader of a CI log: what did arrive, and why it did not match. */
export async function timedOut(
	{messages}: Pick<Client, 'messages'>,
	{inbox, filter, wanted, count, timeout, found, began, now}: Awaited,
): Promise<Exit> {
	const asked = {limit: shown, since: wentWrongSince(began)};
	const {misses, refusals, hits} = await messages.misses(inbox.id, filter, asked);
	const howMany = count === 1 ? 'No message' : `Only ${found.length} of ${count} messages`;
	const lines = [
		`${howMany}${wanted} came to ${inbox.email_address} within ${formatDuration(timeout)}.`,
		misses.length === 0 ? 'Nothing else arrived.' : 'What did arrive, the nearest first:',
		...misses.flatMap(({message, reasons}) => [describe(message, now), ...reasons.map(reason => `    ${reason}`)]),
		...wentWrongMeanwhile(refusals, hits),
	];
	return new Exit(exitCodes.timedOut, 'timeout', lines.map(sanitizeLine).join('\n'), {
		hint: `Wait longer with --timeout, or look again: tinbox messages list ${inbox.email_address}`,
		details: {
			...(count > 1 && {matched: found.map(summary)}),
			arrived: misses.map(({message, reasons}) => ({...summary(message), reasons})),
			refused: refusals,
			faults: hits,
		},
	});
}

/** The error of a wait with `--absent` when a message came. */
export function unwelcome({inbox, wanted, found, now}: Awaited): Exit {
	const lines = [
		`A message${wanted} came to ${inbox.email_address}, but none was expected:`,
		...found.map(message => describe(message, now)),
	];
	return new Exit(exitCodes.conditionFailed, 'unwelcome_message', lines.map(sanitizeLine).join('\n'), {
		hint: `Read it: tinbox messages show ${inbox.email_address} ${found[0]?.id}`,
		details: {arrived: found.map(summary)},
	});
}

function describe({subject, from, received_at}: MessageSummaryBody, now: Date): string {
	return `  "${subject}" from ${from}, ${ago(received_at, now)}`;
}

function summary({id, from, to, subject, received_at}: MessageSummaryBody) {
	return {id, from, to, subject, received_at};
}
