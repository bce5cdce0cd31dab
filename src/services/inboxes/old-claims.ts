import type {Inbox} from '../../domain/inbox.js';
import type {Log} from '../../lib/log.js';
import type {Store} from '../../store/store.js';

/** Lines in the log about claims of an older version. */
const maxWarnings = 20;

/** Logs which inboxes claim one address: nothing else tells the owner of the second one why no mail comes any more. */
export async function warnOfDoubleClaims({inboxes}: Pick<Store, 'inboxes'>, log: Log): Promise<void> {
	const {rows, total} = await inboxes.doubleClaims(maxWarnings);
	for (const {address, first, second} of rows) {
		log.warn(
			{address, first: nameOf(first), second: nameOf(second), more: total - rows.length},
			'Found two inboxes with the same address; only the first receives its mail. Delete one',
		);
	}
}

function nameOf({address, id}: Inbox): string {
	return `${address} (${id})`;
}
