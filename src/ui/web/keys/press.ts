import type {Web} from '../web.js';
import {webBindingOf} from './bindings.js';
import {focusOn, placeInFocus} from './focus.js';

/** Does what keys mean, but where a field, a button or a dialog takes them. */
export function listenToKeys(web: Web): void {
	addEventListener('keydown', event => {
		const {account, dialog, route} = web.store.get();
		const isOurs = account.status === 'in' && dialog === undefined && !event.defaultPrevented && !isOfBrowser(event);
		const key = nameOf(event);
		if (!isOurs || isOfElement(key, event.target)) {
			return;
		}

		const place = placeInFocus(web);
		if (key === 'escape' && isField(event.target)) {
			focusOn(place);
			event.preventDefault();
			return;
		}

		const binding = webBindingOf(key, route.screen);
		if (binding) {
			event.preventDefault();
			binding.run(web, place);
		}
	});
}

/** With Control and the like, keys are the browser's or the system's. */
function isOfBrowser({ctrlKey, metaKey, altKey, isComposing}: KeyboardEvent): boolean {
	return ctrlKey || metaKey || altKey || isComposing;
}

/** As keys are called in the bindings. */
function nameOf({key}: KeyboardEvent): string {
	return key.length === 1 ? key : key.toLowerCase().replace('arrow', '');
}

function isField(target: EventTarget | null): boolean {
	return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/** Whether the element does something with the key by itself. */
function isOfElement(key: string, target: EventTarget | null): boolean {
	if (!(target instanceof HTMLElement)) {
		return false;
	}

	return isField(target)
		? key !== 'escape'
		: ['enter', ' '].includes(key) && target.matches('a[href], button, summary') && !target.matches('[role=option]');
}
