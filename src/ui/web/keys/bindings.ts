import {selectedInbox} from '../../core/inboxes.js';
import {type Copyable, copyablesOf, type KeyWords, keyWords, tabWordsAt} from '../../core/keys.js';
import {askToDeleteFault, moveFault, moveHit} from '../actions/faults.js';
import {filterInboxList, moveInbox, showUnseenInbox} from '../actions/inboxes.js';
import {
	downloadAttachment,
	downloadMessage,
	openedMessage,
	openTabBeside,
	showPreview,
	showTab,
} from '../actions/message.js';
import {filterList, moveInList, openEnd, switchFollow} from '../actions/messages.js';
import {attempt, copyToClipboard} from '../actions/notices.js';
import {removeInbox, removeMessage, undoRemoval} from '../actions/removals.js';
import {moveDelivery, moveEndpoint, redeliver, sendTest} from '../actions/webhooks.js';
import type {Web} from '../context.js';
import {faultChosen, faultsOf, hitsOf, openHit} from '../state/faults.js';
import {isFilter, openList, shownRows} from '../state/message-list.js';
import {mailRoute, messageTabs, type Route, tabWords} from '../state/route.js';
import {openDelivery, openEndpoint} from '../state/webhooks.js';
import {enterPane, focusOn, type PaneOfScreen, placeInFocus} from './focus.js';

/** What keys do. The help and the handler of keys both read this. */
type WebBinding = KeyWords & {run(web: Web, place: PaneOfScreen): unknown};

type WebChapter = {
	readonly title: string;
	/** The screens on which the keys work; undefined is all. */
	readonly screens?: ReadonlyArray<Route['screen']>;
	readonly bindings: readonly WebBinding[];
};

/** Pixels of a line of text, and of a page. */
const scrolled = {line: 40, page: 400};

const rowsOfPage = 10;

const moving: WebChapter = {
	title: 'Navigation',
	bindings: [
		{...keyWords.down, run: (web, place) => move(web, place, 1)},
		{...keyWords.up, run: (web, place) => move(web, place, -1)},
		{keys: ['pagedown', ' '], does: 'Page down', run: (web, place) => move(web, place, pageOf(web, place))},
		{keys: ['pageup'], does: 'Page up', run: (web, place) => move(web, place, -pageOf(web, place))},
		{...keyWords.first, run: (web, place) => move(web, place, Number.NEGATIVE_INFINITY)},
		{...keyWords.last, run: (web, place) => move(web, place, Number.POSITIVE_INFINITY)},
		{keys: ['l', 'right', 'enter'], does: 'Next pane', run: web => enterPane(web, 1)},
		{keys: ['h', 'left'], does: 'Previous pane', run: web => enterPane(web, -1)},
		{...keyWords.back, run: goBack},
		{...keyWords.webhooks, run: web => toScreen(web, 'webhooks')},
		{...keyWords.faults, run: web => toScreen(web, 'faults')},
	],
};

const mail: WebChapter = {
	title: 'Mail',
	screens: ['inboxes', 'mail'],
	bindings: [
		{...keyWords.filter, run: (_, place) => focusFilter(place)},
		{...keyWords.follow, run: switchFollow},
		{...keyWords.unseen, run: showUnseenInbox},
		{...keyWords.newInbox, run: ({store}) => store.update({dialog: {type: 'new inbox'}})},
		{...keyWords.remove, run: remove},
		{keys: ['z'], does: 'Undo the deletion', run: undoLast},
		{...keyWords.nextTab, run: web => openTabBeside(web, 1)},
		{...keyWords.tabBefore, run: web => openTabBeside(web, -1)},
		...messageTabs.map(
			(tab, index): WebBinding => ({
				...tabWordsAt(index, tabWords[tab]),
				run: web => showTab(web, tab),
			}),
		),
		{keys: ['o'], does: 'Open in a new browser tab', command: 'messages open', run: showPreview},
		{keys: ['e'], does: 'Show the source', command: 'messages raw', run: web => showTab(web, 'source')},
		{...keyWords.saveAttachment, run: downloadAttachment},
		{...keyWords.saveMessage, run: downloadMessage},
	],
};

const webhooks: WebChapter = {
	title: 'Webhooks',
	screens: ['webhooks'],
	bindings: [
		{...keyWords.redeliver, run: redeliverOpened},
		{...keyWords.test, run: testOpened},
	],
};

const faults: WebChapter = {
	title: 'Faults',
	screens: ['faults'],
	bindings: [{...keyWords.removeFault, run: remove}],
};

const everywhere: WebChapter = {
	title: 'Everywhere',
	bindings: [
		{...keyWords.copy, run: copyFromMenu},
		{...keyWords.help, run: ({store}) => store.update({dialog: {type: 'help'}})},
	],
};

export const webChapters: readonly WebChapter[] = [moving, mail, webhooks, faults, everywhere];

/** What a key does on a screen; undefined when nothing. */
function webBindingOf(key: string, screen: Route['screen']): WebBinding | undefined {
	return webChapters
		.filter(({screens = [screen]}) => screens.includes(screen))
		.flatMap(({bindings}) => bindings)
		.find(({keys}) => keys.includes(key));
}

function move(web: Web, place: PaneOfScreen, rows: number): void {
	const {screen} = web.store.get().route;
	if (place === 'message') {
		scrollMessage(rows);
	} else if (screen === 'webhooks') {
		(place === 'inboxes' ? moveEndpoint : moveDelivery)(web, rows);
	} else if (place === 'inboxes') {
		moveInbox(web, rows);
	} else if (screen === 'faults') {
		(document.activeElement?.matches('[aria-label=Hits]') ? moveHit : moveFault)(web, rows);
	} else if (Number.isFinite(rows)) {
		moveInList(web, rows);
	} else {
		openEnd(web, rows < 0 ? 'newest' : 'oldest');
	}
}

function pageOf({store}: Web, place: PaneOfScreen): number {
	const {start, end} = openList(store.get()).view;
	return place === 'message'
		? scrolled.page / scrolled.line
		: place === 'messages'
			? Math.max(1, end - start - 1)
			: rowsOfPage;
}

function scrollMessage(lines: number): void {
	const pane = document.querySelector('[data-place=message]');
	const panes = [...(pane?.querySelectorAll('*') ?? []), ...(pane ? [pane] : [])];
	const scrolling = panes.find(
		each => each.scrollHeight > each.clientHeight && getComputedStyle(each).overflowY !== 'visible',
	);
	scrolling?.scrollBy({top: Math.max(-1e7, Math.min(1e7, lines * scrolled.line))});
}

/** Back to where one came from: first out of the filter, then a pane to the left. */
function goBack(web: Web, place: PaneOfScreen): void {
	const {route, inboxes} = web.store.get();
	if (place === 'inboxes' && inboxes.filter !== '') {
		filterInboxList(web, '');
	} else if (place === 'messages' && route.screen === 'mail' && isFilter(route.filter)) {
		filterList(web, {});
	} else {
		enterPane(web, -1);
	}
}

/** To the webhooks, or the faults of the inbox; from there back to mail. */
function toScreen({store, go}: Web, screen: 'webhooks' | 'faults'): void {
	const {route, inboxes} = store.get();
	const inbox = selectedInbox(inboxes);
	if (route.screen === screen) {
		go(mailRoute(inbox?.id));
	} else {
		go(screen === 'webhooks' ? {screen} : {screen, inboxId: inbox?.id ?? null});
	}
}

/** Puts the keyboard into the filter of the inboxes, or of the messages. */
function focusFilter(place: PaneOfScreen): void {
	const fields = place === 'inboxes' ? ['#inbox-filter', '#filter'] : ['#filter'];
	const field = fields.map(id => document.querySelector<HTMLInputElement>(id)).find(each => each !== null);
	field?.focus();
	field?.select();
}

/** Deletes the inbox, message or fault that is selected in the pane. */
function remove(web: Web, place: PaneOfScreen): void {
	const state = web.store.get();
	const {route, inboxes, faults} = state;
	if (route.screen === 'faults') {
		const fault = faultsOf(faults, route.inboxId)?.find(({id}) => id === faultChosen(route.faultId));
		if (fault) {
			askToDeleteFault(web, fault);
		}

		return;
	}

	const inbox = selectedInbox(inboxes);
	const open = route.screen === 'mail' ? route.open : undefined;
	const message = shownRows(state).rows.find(({id}) => id === open?.messageId) ?? openedMessage(web);
	if (place === 'inboxes' && inbox) {
		removeInbox(web, inbox);
	} else if (place !== 'inboxes' && message) {
		removeMessage(web, message);
	}
}

/** Takes the last delete back. */
function undoLast(web: Web): void {
	const last = web.store.get().removals.at(-1);
	if (last) {
		undoRemoval(web, last);
	}
}

/** Sends the open delivery again. */
function redeliverOpened(web: Web): void {
	const {route, webhooks} = web.store.get();
	const delivery = route.screen === 'webhooks' ? openDelivery(webhooks, route) : undefined;
	if (typeof delivery === 'object') {
		void redeliver(web, delivery);
	}
}

/** Sends a test to the open endpoint. */
function testOpened(web: Web): void {
	const {route, webhooks} = web.store.get();
	const endpoint = route.screen === 'webhooks' ? openEndpoint(webhooks, route) : undefined;
	if (endpoint) {
		void sendTest(web, endpoint);
	}
}

/** Copies what is selected, or asks which of several texts. */
function copyFromMenu(web: Web, place: PaneOfScreen): void {
	const items = copyables(web, place);
	const [only] = items;
	if (only !== undefined && items.length === 1) {
		void attempt(web, async () => copyToClipboard(web, only.text));
	} else if (only !== undefined) {
		web.store.update({dialog: {type: 'copy', items}});
	}
}

/** The texts of the selected thing that are worth copying, each with the key that copies it. */
function copyables(web: Web, place: PaneOfScreen): readonly Copyable[] {
	const {route, inboxes, webhooks, faults} = web.store.get();
	const inbox = selectedInbox(inboxes);
	if (route.screen === 'webhooks') {
		const endpoint = openEndpoint(webhooks, route);
		const delivery = openDelivery(webhooks, route);
		return copyablesOf({
			u: ['URL', endpoint?.url],
			e: ['endpoint ID', endpoint?.id],
			d: ['delivery ID', typeof delivery === 'object' ? delivery.id : undefined],
		});
	}

	if (route.screen === 'faults') {
		const faultId = faultChosen(route.faultId);
		const hit = openHit(hitsOf(faults, route.inboxId, faultId), route.hitId);
		return copyablesOf({
			a: ['address', inbox?.email_address],
			r: ['reply', hit?.reply ?? undefined],
			f: ['fault ID', faultId],
			h: ['hit ID', hit?.id],
			m: ['message ID', hit?.message_id ?? undefined],
		});
	}

	if (place === 'inboxes') {
		return copyablesOf({a: ['address', inbox?.email_address], i: ['ID', inbox?.id]});
	}

	const message = openedMessage(web);
	const own = inboxes.all.find(({id}) => id === message?.inbox_id) ?? inbox;
	return copyablesOf({
		c: ['code', message?.codes[0]],
		l: ['link', message?.links[0]?.url],
		a: ['address', own?.email_address],
		i: ['ID', message?.id],
		p: ['page URL', message && location.href],
	});
}

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
