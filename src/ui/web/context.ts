import {createContext} from 'preact';
import {useContext, useLayoutEffect, useReducer, useRef} from 'preact/hooks';
import type {MissingData} from '../core/loader.js';
import type {WebApi} from './api.js';
import type {Route} from './state/route.js';
import type {WebState, WebStore} from './state/state.js';

/** Store, API client and navigation of the page. */
export type Web = {
	readonly store: WebStore;
	readonly api: WebApi;
	/** Shows another route. It becomes a new entry of the browser's history, or replaces the current one. */
	go(route: Route, how?: 'replace'): void;
};

/** Finds data of one kind that the page lacks, and how to read it; undefined for none. */
export type Finder = (state: WebState, api: WebApi) => MissingData<WebState> | undefined;

export const WebContext = createContext<Web | undefined>(undefined);

export function useWeb(): Web {
	const web = useContext(WebContext);
	if (web === undefined) {
		throw new Error('useWeb must be called inside a WebContext.Provider.');
	}

	return web;
}

/** Selects a value from the state and renders the component again when it changes. The value is compared by identity. */
export function useSelector<T>(select: (state: WebState) => T): T {
	const {store} = useWeb();
	const [, render] = useReducer<number, void>(count => count + 1, 0);
	const value = select(store.get());
	const shown = useRef({value, select});
	shown.current = {value, select};
	useLayoutEffect(() => {
		const compare = () => {
			if (!Object.is(shown.current.select(store.get()), shown.current.value)) {
				render();
			}
		};
		compare();
		return store.subscribe(compare);
	}, [store]);
	return value;
}
