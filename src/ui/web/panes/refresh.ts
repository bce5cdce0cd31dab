import {useEffect} from 'preact/hooks';
import type {WebState} from '../state/state.js';
import type {WebUpdate} from '../state/store.js';
import {useWeb} from '../web.js';

const refreshMs = 2000;

/** Has what is shown read again and again, since no event announces every change of it; never before it was read. Both must stay the same. */
export function useRefresh(isRead: (state: WebState) => boolean, update: WebUpdate): void {
	const {store} = useWeb();
	useEffect(() => {
		const timer = setInterval(() => {
			if (!document.hidden && store.get().feed.status === 'live' && isRead(store.get())) {
				store.update(update);
			}
		}, refreshMs);
		return () => clearInterval(timer);
	}, [store, isRead, update]);
}
