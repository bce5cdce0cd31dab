import {causeOf} from '../../lib/errors.js';

/** Message to the user about the last action, or the reason for its failure. */
export type Notice = {readonly text: string; readonly tone: 'info' | 'error'};

/** Notice that shows the reason of a failure. */
export function errorNotice(error: unknown): Notice {
	return {text: causeOf(error), tone: 'error'};
}

/** Changed parts of a state, or a pure function that computes them. */
export type Update<State> = Partial<State> | ((state: State) => Partial<State>);

/** Holder of an immutable state. */
export type Store<State> = {
	get(): State;
	/** Replaces parts of the state. Listeners are called only if a part is a different value. */
	update(update: Update<State>): void;
	/** Adds a listener, which is called after each change. Returns a function that removes it; an abort of the signal does, too. */
	subscribe(listener: () => void, signal?: AbortSignal): () => void;
};

/** Creates a store. `derive` computes the parts of a new state that depend on others. */
export function createStore<State extends object>(
	initial: State,
	derive: (next: State, before: State) => State = next => next,
): Store<State> {
	let state = initial;
	const listeners = new Set<() => void>();
	return {
		get: () => state,
		update(update) {
			const parts = typeof update === 'function' ? update(state) : update;
			const names = Object.keys(parts) as Array<keyof State>;
			if (names.every(name => parts[name] === state[name])) {
				return;
			}

			state = derive({...state, ...parts}, state);
			for (const listener of listeners) {
				listener();
			}
		},
		subscribe(listener, signal) {
			listeners.add(listener);
			const remove = () => void listeners.delete(listener);
			signal?.addEventListener('abort', remove);
			return remove;
		},
	};
}
