import type {Action} from './action.js';
import {reduce} from './reduce.js';
import type {State} from './state.js';

/** Keeps the state, and tells who wants to know when it changed. */
export type StateStore = {
	get(): State;
	dispatch(action: Action): void;
	/** Calls `listener` after every change, until the result is called. */
	subscribe(listener: () => void): () => void;
};

export function createStateStore(initial: State): StateStore {
	let state = initial;
	const listeners = new Set<() => void>();
	return {
		get: () => state,
		dispatch(action) {
			const next = reduce(state, action);
			if (next !== state) {
				state = next;
				for (const listener of listeners) {
					listener();
				}
			}
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}
