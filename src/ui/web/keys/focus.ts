import {isInboxListRead} from '../actions/inboxes.js';
import {moveInList} from '../actions/messages.js';
import type {Web} from '../context.js';
import {mailRoute, type Route} from '../state/route.js';

/** The places of panes side by side, by what they hold where mail is shown. */
const panesOfScreen = ['inboxes', 'messages', 'message'] as const;

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

/**
 * Keeps the keyboard in use: when what had the focus is gone or hidden, the pane of the address takes it, and its list as soon as
 * there is one; and a list has it as a whole, also when one of its rows was clicked. What a button deleted, the next press of
 * a key can take back.
 */
export function keepFocus(web: Web): void {
	let last: HTMLElement | undefined;
	let isByKeys = false;
	let {removals} = web.store.get();
	addEventListener('focusin', ({target}) => {
		if (target instanceof HTMLElement) {
			const list = target.matches('[role=option]') ? target.closest<HTMLElement>('[role=listbox]') : null;
			last = list ?? target;
			isByKeys = last.matches(':focus-visible');
			list?.focus({preventScroll: true});
		}
	});
	const look = () => {
		const state = web.store.get();
		const hasDeleted = state.removals.some(removal => !removals.includes(removal));
		removals = state.removals;
		if (!isInboxListRead(state)) {
			return;
		}

		// What was just hidden has the focus until the next frame.
		const isIdle = [document.body, last].some(element => element === document.activeElement);
		const pane = panesOfScreen.find(place => last?.dataset['place'] === place);
		if (hasDeleted && isIdle && isByKeys && last?.matches('button')) {
			document.querySelector<HTMLElement>('.removals p:last-child button')?.focus();
		} else if (isIdle && last?.checkVisibility() === false) {
			focusOn(placeOfRoute(state.route));
		} else if (isIdle && isByKeys && pane) {
			focusOn(pane);
		}
	};
	// Not before it is drawn.
	web.store.subscribe(() => requestAnimationFrame(look));
}
