import type {Web} from '../context.js';
import {withPlace} from '../state/places.js';
import {hrefOf, type Route, routeOf} from '../state/route.js';
import type {WebStore} from '../state/state.js';

/** What shows another place; the buttons of the browser do, too. */
export function placesOf(store: WebStore): Web['go'] {
	const show = (route: Route) => store.update(state => withPlace(state, route));
	addEventListener('popstate', () => show(routeOf(location)));
	show(store.get().route);
	return (route, how) => {
		const href = hrefOf(route);
		if (href !== location.pathname + location.search) {
			history[how === 'replace' ? 'replaceState' : 'pushState'](null, '', href);
		}

		show(route);
	};
}
