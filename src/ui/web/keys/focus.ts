import {moveInList} from '../actions/message-list.js';
import {mailRoute, type Route} from '../state/route.js';
import type {Web} from '../web.js';

/** The places of panes side by side, by what they hold where mail is shown. */
export const panesOfScreen = ['inboxes', 'messages', 'message'] as const;

export type PaneOfScreen = (typeof panesOfScreen)[number];

/** The pane that the keyboard is in; that of the route when it is in none. */
export function placeInFocus({store}: Web): PaneOfScreen {
	const pane = document.activeElement?.closest<HTMLElement>('[data-place]');
	return panesOfScreen.find(place => place === pane?.dataset['place']) ?? placeOfRoute(store.get().route);
}

/** Takes the keyboard into the pane `by` places to the right. Where there is room for one pane, that one is shown. */
export function enterPane(web: Web, by: number): void {
	const index = panesOfScreen.indexOf(placeInFocus(web)) + by;
	const place = panesOfScreen[Math.max(0, Math.min(index, panesOfScreen.length - 1))] ?? 'inboxes';
	const {route} = web.store.get();
	if (place === 'message' && route.screen === 'mail' && !route.open) {
		moveInList(web, 0);
	} else if (!focusOn(place)) {
		web.go(routeTo(place, route));
	}

	focusDrawn(place);
}

/** Takes the keyboard into the pane once it is drawn. */
export function focusDrawn(place: PaneOfScreen): void {
	requestAnimationFrame(() => focusOn(place));
}

/** Whether the pane is there and takes the keyboard. */
export function focusOn(place: PaneOfScreen): boolean {
	const pane = document.querySelector<HTMLElement>(`[data-place=${place}]`);
	const target = pane?.querySelector<HTMLElement>('[role=listbox], [role=tabpanel]') ?? pane;
	// What is long begins with what stands above it.
	target?.focus({preventScroll: target.matches('[role=tabpanel]')});
	return pane?.offsetParent !== null && pane !== null;
}

/** The pane that the address is of. */
export function placeOfRoute(route: Route): PaneOfScreen {
	switch (route.screen) {
		case 'inboxes':
			return 'inboxes';
		case 'nowhere':
			return 'messages';
		case 'mail':
			return route.open ? 'message' : 'messages';
		case 'webhooks':
			return route.deliveryId === undefined ? (route.endpointId === undefined ? 'inboxes' : 'messages') : 'message';
		case 'faults':
			return route.hitId === undefined ? 'messages' : 'message';
	}
}

/** What a page with room for one pane shows there. */
function routeTo(place: PaneOfScreen, route: Route): Route {
	if (route.screen === 'webhooks') {
		return place === 'inboxes' ? {screen: 'webhooks'} : {screen: 'webhooks', endpointId: route.endpointId};
	}

	if (place === 'inboxes') {
		return {screen: 'inboxes'};
	}

	return route.screen === 'mail' ? {...route, open: undefined} : route.screen === 'inboxes' ? mailRoute() : route;
}
