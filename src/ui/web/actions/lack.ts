import type {WebState} from '../state/state.js';
import type {WebUpdate} from '../state/store.js';
import type {Web} from '../web.js';

/** What a state lacks, under a name of its own, and how to read it. */
export type WebLack = {
	readonly name: string;
	/** `now`: the state, which may be another one meanwhile. */
	read(now: () => WebState): Promise<WebUpdate>;
	/** Where a failure is shown; a notice unless given. */
	readonly failed?: (error: unknown) => WebUpdate;
};

/** Finds what a state lacks of one kind. */
export type FindLack = (state: WebState, api: Web['api']) => WebLack | undefined;
