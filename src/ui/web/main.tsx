import {render} from 'preact';
import {createStore} from '../core/store.js';
import {followFeed} from './actions/feed.js';
import {redirectRoutes} from './actions/inboxes.js';
import {loadPage} from './actions/loader.js';
import {watchList} from './actions/message-list.js';
import {commitRemovalsOnUnload} from './actions/removals.js';
import {checkAccount, findAccount, followLogin} from './actions/session.js';
import {webApi} from './api.js';
import {WebApp} from './app.js';
import {type Web, WebContext} from './context.js';
import {listenToKeys} from './keys/bindings.js';
import {keepFocus} from './keys/focus.js';
import {showTheme} from './panes/header.js';
import {hrefOf, type Route, routeOf} from './state/route.js';
import {withRoute} from './state/route-state.js';
import {initialState, type WebStore} from './state/state.js';

showTheme();
const store = createStore(initialState(routeOf(location)));
const web: Web = {store, api: webApi(async () => checkAccount(web)), go: createNavigation(store)};
render(
	<WebContext.Provider value={web}>
		<WebApp />
	</WebContext.Provider>,
	document.body,
);

// Session and feed.
followFeed(web);
followLogin(web);
void findAccount(web);
// A link of `tinbox open` can be opened in a tab that shows the page already.
addEventListener('hashchange', () => void findAccount(web));

// Reading: after each change of the state, whatever the page shows and does not have.
loadPage(web);

// Effects of changes that no single action causes.
redirectRoutes(web);
watchList(web);
keepFocus(web);

listenToKeys(web);
commitRemovalsOnUnload(web);

/** Keeps the route and the URL in step. */
function createNavigation(store: WebStore): Web['go'] {
	const show = (route: Route) => store.update(state => withRoute(state, route));
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
