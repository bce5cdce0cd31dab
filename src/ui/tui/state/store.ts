import type {WatchState} from './state.js';
import {type Update, updated} from './update.js';

export type StateStore = ReturnType<typeof createStateStore>;

/** Keeps the state, changes it, and calls its listeners after every change. */
export function createStateStore(initial: WatchState) {
	let state = initial;
	const listeners = new Set<() => void>();
	return {
		get: () => state,
		update(update: Update) {
			state = updated(state, update);
			for (const listener of listeners) {
				listener();
			}
		},
		/** Adds a listener, until the signal aborts. */
		subscribe(listener: () => void, signal: AbortSignal) {
			listeners.add(listener);
			signal.addEventListener('abort', () => listeners.delete(listener));
		},
	};
}
