import {createContext} from 'preact';
import {useContext, useLayoutEffect, useReducer, useRef} from 'preact/hooks';
import type {WebApi} from './api.js';
import type {Route} from './state/route.js';
import type {WebState, WebStore} from './state/state.js';

/** What components and keys work with. */
export type Web = {
	readonly store: WebStore;
	readonly api: WebApi;
	/** Shows another place, to which the browser's button leads back; unless it takes the place of this one. */
	go(route: Route, how?: 'replace'): void;
};

export const WebContext = createContext<Web | undefined>(undefined);

export function useWeb(): Web {
	const web = useContext(WebContext);
	if (web === undefined) {
		throw new Error('useWeb must be called inside a WebContext.Provider.');
	}

	return web;
}

/** A part of the state; the component is drawn again when it becomes another. What is selected must be found, not made. */
export function useWatched<T>(select: (state: WebState) => T): T {
	const {store} = useWeb();
	const [, drawAgain] = useReducer<number, void>(count => count + 1, 0);
	const value = select(store.get());
	const shown = useRef({value, select});
	shown.current = {value, select};
	useLayoutEffect(() => {
		const look = () => {
			if (!Object.is(shown.current.select(store.get()), shown.current.value)) {
				drawAgain();
			}
		};
		look();
		return store.subscribe(look);
	}, [store]);
	return value;
}
