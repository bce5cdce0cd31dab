import {render} from 'preact';
import {followAccount} from './actions/follow.js';
import {keepRead} from './actions/load.js';
import {keepList} from './actions/message-list.js';
import {placesOf} from './actions/places.js';
import {keepRemovals} from './actions/removals.js';
import {keepInboxShown} from './actions/select.js';
import {checkAccount, findAccount, shareAccount} from './actions/session.js';
import {webApi} from './api/web-api.js';
import {WebApp} from './app.js';
import {keepFocus} from './keys/keep-focus.js';
import {listenToKeys} from './keys/press.js';
import {routeOf} from './state/route.js';
import {startState} from './state/state.js';
import {createWebStore} from './state/store.js';
import {showTheme} from './theme.js';
import {type Web, WebContext} from './web.js';

showTheme();
const store = createWebStore(startState(routeOf(location)));
const api = webApi(async () => checkAccount(web));
const web: Web = {store, api, go: placesOf(store)};
render(
	<WebContext.Provider value={web}>
		<WebApp />
	</WebContext.Provider>,
	document.body,
);
followAccount(web);
keepRead(web);
listenToKeys(web);
keepFocus(web);
keepList(web);
keepRemovals(web);
keepInboxShown(web);
shareAccount(web);
void findAccount(web);
// A link of `tinbox open` at the place that is shown already.
addEventListener('hashchange', () => void findAccount(web));
