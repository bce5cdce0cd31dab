import type {Action} from './action.js';
import {reduce} from './reduce.js';
import type {WatchState} from './state.js';

export type StateStore = ReturnType<typeof createStateStore>;

/** Keeps the state, and calls its listeners when it changed. */
export function createStateStore(initial: WatchState) {
	let state = initial;
	const listeners = new Set<() => void>();
	return {
		get: () => state,
		dispatch(action: Action) {
			const next = reduce(state, action);
			if (next !== state) {
				state = next;
				for (const listener of listeners) {
					listener();
				}
			}
		},
		/** Calls `listener` after every change, until the result is called. */
		subscribe(listener: () => void) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
	};
}
