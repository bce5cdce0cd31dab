import {isInboxListRead} from '../actions/inboxes.js';
import {moveInList} from '../actions/message-list.js';
import type {Web} from '../context.js';
import {mailRoute, type Route} from '../state/route.js';

/** Panes from left to right, named by their content on the mail screen. */
const panesOfScreen = ['inboxes', 'messages', 'message'] as const;

export type PaneOfScreen = (typeof panesOfScreen)[number];

/** Pane that has the focus; without a focus, the pane of the route. */
export function paneInFocus({store}: Web): PaneOfScreen {
	const element = document.activeElement?.closest<HTMLElement>('[data-pane]');
	return panesOfScreen.find(pane => pane === element?.dataset['pane']) ?? paneOfRoute(store.get().route);
}

/** Focuses the pane `by` places to the right. In a narrow window, opens it first. */
export function enterPane(web: Web, by: number): void {
	const index = panesOfScreen.indexOf(paneInFocus(web)) + by;
	const pane = panesOfScreen[Math.max(0, Math.min(index, panesOfScreen.length - 1))] ?? 'inboxes';
	const {route} = web.store.get();
	if (pane === 'message' && route.screen === 'mail' && !route.open) {
		moveInList(web, 0);
	} else if (!focusOn(pane)) {
		web.go(routeTo(pane, route));
	}

	focusDrawn(pane);
}

/** Focuses a pane after the next frame. */
export function focusDrawn(pane: PaneOfScreen): void {
	requestAnimationFrame(() => focusOn(pane));
}

/** Focuses a pane. Returns false if it is hidden or missing. */
export function focusOn(pane: PaneOfScreen): boolean {
	const element = document.querySelector<HTMLElement>(`[data-pane=${pane}]`);
	const target = element?.querySelector<HTMLElement>('[role=listbox], [role=tabpanel]') ?? element;
	// Focusing a tab panel must not scroll the head of the message out of view.
	target?.focus({preventScroll: target.matches('[role=tabpanel]')});
	return element?.offsetParent !== null && element !== null;
}

/** Pane of a route. */
export function paneOfRoute(route: Route): PaneOfScreen {
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

/** Route that shows a pane in a narrow window. */
function routeTo(pane: PaneOfScreen, route: Route): Route {
	if (route.screen === 'webhooks') {
		return pane === 'inboxes' ? {screen: 'webhooks'} : {screen: 'webhooks', endpointId: route.endpointId};
	}

	if (pane === 'inboxes') {
		return {screen: 'inboxes'};
	}

	return route.screen === 'mail' ? {...route, open: undefined} : route.screen === 'inboxes' ? mailRoute() : route;
}

/**
 * Restores the focus for keyboard users: moves it to the pane of the route if the focused element disappears, from a pane to its
 * list once that exists, from a clicked row to its list, and after a delete by a button to the button that undoes it.
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
	const restore = () => {
		const state = web.store.get();
		const hasDeleted = state.removals.some(removal => !removals.includes(removal));
		removals = state.removals;
		if (!isInboxListRead(state)) {
			return;
		}

		// An element that was just hidden keeps the focus until the next frame.
		const isIdle = [document.body, last].some(element => element === document.activeElement);
		const pane = panesOfScreen.find(name => last?.dataset['pane'] === name);
		if (hasDeleted && isIdle && isByKeys && last?.matches('button')) {
			document.querySelector<HTMLElement>('.removals p:last-child button')?.focus();
		} else if (isIdle && last?.checkVisibility() === false) {
			focusOn(paneOfRoute(state.route));
		} else if (isIdle && isByKeys && pane) {
			focusOn(pane);
		}
	};
	// Elements change in the next frame.
	web.store.subscribe(() => requestAnimationFrame(restore));
}
