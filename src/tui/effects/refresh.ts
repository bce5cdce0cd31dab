import {endpointsRequest} from '../state/requests.js';
import type {StateStore} from '../state/store.js';

const everyMs = 2000;

/** Has the endpoints read again now and then while they are shown, for no event tells of them. The result ends it. */
export function refreshEndpoints(store: StateStore): () => void {
	const timer = setInterval(() => {
		const state = store.get();
		const isRead = state.webhooks.endpointsRead === endpointsRequest(state);
		if (state.screen === 'webhooks' && isRead) {
			store.dispatch({type: 'endpoints stale'});
		}
	}, everyMs);
	return () => clearInterval(timer);
}
