import {followAlways} from '../../client/events.js';
import type {EventBody} from '../../contract/events.js';
import {reasonOf} from '../../lib/reason-of.js';
import type {About} from '../state/state.js';
import type {StateStore} from '../state/store.js';
import type {WatchApi} from '../watch-api.js';

/** Events that come within this time change the screen together. */
const batchMs = 100;

/**
 * Follows the live feed until the signal aborts, through every loss of the connection. Where the feed cannot take up
 * without a gap, everything is read again.
 */
export async function follow(
	api: WatchApi,
	store: StateStore,
	about: () => Promise<About>,
	signal: AbortSignal,
): Promise<void> {
	const batch = createBatch(store);
	const onLost = (reason: unknown) => store.dispatch({type: 'live', live: {status: 'lost', reason: reasonOf(reason)}});
	for await (const event of followAlways(api.events, signal, onLost)) {
		if (event.type === 'ready') {
			batch.flush();
			store.dispatch({type: 'live', live: {status: 'live'}, about: await about()});
			if (!event.resumed) {
				store.dispatch({type: 'reload'});
			}
		} else {
			batch.add(event);
		}
	}

	batch.end();
}

function createBatch(store: StateStore) {
	let events: EventBody[] = [];
	let timer: NodeJS.Timeout | undefined;
	const end = () => {
		clearTimeout(timer);
		timer = undefined;
	};
	const flush = () => {
		end();
		const taken = events;
		events = [];
		if (taken.length > 0) {
			store.dispatch({type: 'events', events: taken});
		}
	};
	return {
		flush,
		end,
		add(event: EventBody) {
			events.push(event);
			timer ??= setTimeout(flush, batchMs);
		},
	};
}
