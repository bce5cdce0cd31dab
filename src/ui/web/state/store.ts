import type {WebState} from './state.js';

/** The parts of the state that become others, or a pure function that finds them. */
export type WebUpdate = Partial<WebState> | ((state: WebState) => Partial<WebState>);

export type WebStore = ReturnType<typeof createWebStore>;

/** Keeps the state, changes it, and calls its listeners after every change. */
export function createWebStore(initial: WebState) {
	let state = initial;
	const listeners = new Set<() => void>();
	return {
		get: () => state,
		update(update: WebUpdate) {
			const parts = typeof update === 'function' ? update(state) : update;
			if (parts === state || Object.entries(parts).every(([name, part]) => state[name as keyof WebState] === part)) {
				return;
			}

			state = {...state, ...parts};
			for (const listener of listeners) {
				listener();
			}
		},
		/** Adds a listener; what it gives takes it away. */
		subscribe(listener: () => void): () => void {
			listeners.add(listener);
			return () => listeners.delete(listener);
		},
	};
}
