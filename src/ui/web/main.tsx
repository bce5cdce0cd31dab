import {render} from 'preact';
import {keepInboxShown} from './actions/inboxes.js';
import {keepRead} from './actions/loader.js';
import {keepList} from './actions/message-list.js';
import {placesOf} from './actions/places.js';
import {keepRemovals} from './actions/removals.js';
import {checkAccount, findAccount, followAccount, shareAccount} from './actions/session.js';
import {webApi} from './api.js';
import {WebApp} from './app.js';
import {type Web, WebContext} from './context.js';
import {listenToKeys} from './keys/bindings.js';
import {keepFocus} from './keys/focus.js';
import {showTheme} from './panes/header.js';
import {routeOf} from './state/route.js';
import {createWebStore, startState} from './state/state.js';

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
