import {setTimeout as sleep} from 'node:timers/promises';
import {reasonOf} from '../../lib/reason-of.js';
import type {Action} from '../state/action.js';
import type {State} from '../state/state.js';
import type {StateStore} from '../state/store.js';

/** Something that the state lacks and that has to be read from the daemon. */
export type Need = {
	/** Names what is lacking now; undefined while nothing is. */
	wanted(state: State): string | undefined;
	read(state: State): Promise<Action>;
	/** How long a need must last before it is met, so that passing by costs nothing. */
	readonly delayMs?: number;
};

/**
 * Meets a need whenever the state has it, one reading at a time. An answer that is no longer wanted is dropped. What
 * could not be read is told once, and tried again when something else is wanted. The result ends it.
 */
export function keep(store: StateStore, {wanted, read, delayMs = 0}: Need): () => void {
	let reading: string | undefined;
	let failed: string | undefined;
	const meet = async (name: string): Promise<void> => {
		await sleep(delayMs);
		if (wanted(store.get()) !== name) {
			return;
		}

		const action = await read(store.get());
		if (wanted(store.get()) === name) {
			store.dispatch(action);
		}
	};
	const look = () => {
		const name = wanted(store.get());
		if (reading !== undefined || name === undefined || name === failed) {
			return;
		}

		reading = name;
		meet(name)
			.catch(error => {
				failed = name;
				store.dispatch({type: 'notice', notice: {text: reasonOf(error), tone: 'error'}});
			})
			.finally(() => {
				reading = undefined;
				look();
			});
	};
	const unsubscribe = store.subscribe(look);
	look();
	return unsubscribe;
}
