import {isInboxListRead} from '../actions/select.js';
import type {Web} from '../web.js';
import {focusOn, panesOfScreen, placeOfRoute} from './focus.js';

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
