import type {Client} from '../../../client/index.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import {formatDuration} from '../../../lib/duration.js';
import {sanitizeLine} from '../../../lib/sanitize.js';
import {ago} from '../../ago.js';
import {Exit, exitCodes} from '../../exit.js';
import {describeFilter, type FilterFlags} from './filter.js';

/** How many of the messages that did arrive are shown. */
const shown = 5;

type Missed = {readonly filter: FilterFlags; readonly timeout: number; readonly now: Date};

/** The end of a wait in vain, with what whoever reads a CI log needs: what did arrive. */
export async function timedOut(
	{messages}: Pick<Client, 'messages'>,
	{id, email_address}: InboxBody,
	{filter, timeout, now}: Missed,
): Promise<Exit> {
	const found = await messages.list(id, {after: filter.after, limit: shown});
	const arrived = found.map(message => ({
		id: message.id,
		from: message.from,
		subject: message.subject,
		received_at: message.received_at,
	}));
	const evidence = arrived.map(({subject, from, received_at}) =>
		sanitizeLine(`  "${subject}" from ${from}, ${ago(received_at, now)}`),
	);
	const wanted = `No message${describeFilter(filter)} came to ${email_address} within ${formatDuration(timeout)}.`;
	const others = arrived.length === 0 ? 'Nothing else arrived either.' : 'What did arrive, the newest first:';
	return new Exit(exitCodes.timedOut, 'timeout', [wanted, others, ...evidence].join('\n'), {
		hint: `Wait longer with --timeout, or look again: tinbox messages list ${email_address}`,
		details: {arrived},
	});
}
