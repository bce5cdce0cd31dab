import {followAlways} from '../../client/events.js';
import type {EventBody} from '../../contract/events.js';
import {causeOf} from '../../lib/errors.js';
import {withEvents} from './state/events.js';
import {restart} from './state/messages.js';
import type {About} from './state/state.js';
import type {StateStore} from './state/store.js';
import type {WatchApi} from './watch.js';

/** Events within this time change the screen together. */
const batchMs = 100;

/**
 * Follows the live feed until the signal aborts, through every loss of the connection. Where the feed cannot resume
 * without a gap, everything is read again.
 */
export async function follow(
	api: WatchApi,
	store: StateStore,
	about: () => Promise<About>,
	signal: AbortSignal,
): Promise<void> {
	const batch: EventBody[] = [];
	let timer: NodeJS.Timeout | undefined;
	const flush = () => {
		clearTimeout(timer);
		timer = undefined;
		if (batch.length > 0) {
			const events = batch.splice(0);
			store.update(state => withEvents(state, events));
		}
	};
	const onLost = (reason: unknown) => store.update({feed: {status: 'lost', reason: causeOf(reason)}});
	for await (const event of followAlways(api.events, signal, onLost)) {
		if (event.type === 'ready') {
			flush();
			const known = await about();
			// What failed was mostly the connection, and is tried again.
			store.update(({notice}) => ({
				feed: {status: 'live'},
				about: known,
				notice: notice?.tone === 'error' ? undefined : notice,
			}));
			if (!event.resumed) {
				store.update(restart);
			}
		} else {
			batch.push(event);
			timer ??= setTimeout(flush, batchMs);
		}
	}

	clearTimeout(timer);
}
