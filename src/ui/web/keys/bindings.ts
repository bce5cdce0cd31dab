import {selectedInbox} from '../../core/inboxes.js';
import {
	bindingOf,
	type Chapter,
	type Copyable,
	copyablesOf,
	type KeyWords,
	keyWords,
	tabWordsAt,
} from '../../core/keys.js';
import {askToDeleteFault, faultChosen, faultsOf, hitsOf, moveFault, moveHit, openHit} from '../actions/faults.js';
import {filterInboxList, moveInbox, showUnseenInbox} from '../actions/inboxes.js';
import {
	filterList,
	hasConditions,
	moveInList,
	openEnd,
	shownList,
	shownRows,
	toggleAutoOpen,
} from '../actions/message-list.js';
import {attempt, copyToClipboard} from '../actions/notices.js';
import {
	downloadAttachment,
	downloadMessage,
	openedMessage,
	openTabBeside,
	showPreview,
	showTab,
} from '../actions/open-message.js';
import {removeInbox, removeMessage, undoRemoval} from '../actions/removals.js';
import {moveDelivery, moveEndpoint, openDelivery, openEndpoint, redeliver, sendTest} from '../actions/webhooks.js';
import type {Web} from '../context.js';
import {mailRoute, messageTabs, type Route, tabWords} from '../state/route.js';
import {enterPane, focusOn, type PaneOfScreen, paneInFocus} from './focus.js';

/** Keys with their action. Used by the help and the key handler. */
type WebBinding = KeyWords & {run(web: Web, pane: PaneOfScreen): unknown};

type WebChapter = Chapter<Route['screen'], WebBinding>;

/** Heights of a line and of a page for scrolling, in pixels. */
const scrolled = {line: 40, page: 400};

const rowsOfPage = 10;

const moving: WebChapter = {
	title: 'Navigation',
	bindings: [
		{...keyWords.down, run: (web, pane) => move(web, pane, 1)},
		{...keyWords.up, run: (web, pane) => move(web, pane, -1)},
		{keys: ['pagedown', ' '], does: 'Page down', run: (web, pane) => move(web, pane, pageOf(web, pane))},
		{keys: ['pageup'], does: 'Page up', run: (web, pane) => move(web, pane, -pageOf(web, pane))},
		{...keyWords.first, run: (web, pane) => move(web, pane, Number.NEGATIVE_INFINITY)},
		{...keyWords.last, run: (web, pane) => move(web, pane, Number.POSITIVE_INFINITY)},
		{keys: ['l', 'right', 'enter'], does: 'Next pane', run: web => enterPane(web, 1)},
		{keys: ['h', 'left'], does: 'Previous pane', run: web => enterPane(web, -1)},
		{...keyWords.back, run: goBack},
		{...keyWords.webhooks, run: web => toScreen(web, 'webhooks')},
		{...keyWords.faults, run: web => toScreen(web, 'faults')},
	],
};

const mail: WebChapter = {
	title: 'Mail',
	places: ['inboxes', 'mail'],
	bindings: [
		{...keyWords.filter, run: (_, pane) => focusFilter(pane)},
		{...keyWords.autoOpen, run: toggleAutoOpen},
		{...keyWords.unseen, run: showUnseenInbox},
		{...keyWords.newInbox, run: ({store}) => store.update({dialog: {type: 'new inbox'}})},
		{...keyWords.remove, run: remove},
		{keys: ['z'], does: 'Undo the deletion', run: undoLast},
		{...keyWords.nextTab, run: web => openTabBeside(web, 1)},
		{...keyWords.tabBefore, run: web => openTabBeside(web, -1)},
		...messageTabs.map(
			(tab, index): WebBinding => ({...tabWordsAt(index, tabWords[tab]), run: web => showTab(web, tab)}),
		),
		{keys: ['o'], does: 'Open in a new browser tab', command: 'messages open', run: showPreview},
		{keys: ['e'], does: 'Show the source', command: 'messages raw', run: web => showTab(web, 'source')},
		{...keyWords.saveAttachment, run: downloadAttachment},
		{...keyWords.saveMessage, run: downloadMessage},
	],
};

const webhooks: WebChapter = {
	title: 'Webhooks',
	places: ['webhooks'],
	bindings: [
		{...keyWords.redeliver, run: redeliverOpened},
		{...keyWords.test, run: testOpened},
	],
};

const faults: WebChapter = {
	title: 'Faults',
	places: ['faults'],
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

function move(web: Web, pane: PaneOfScreen, rows: number): void {
	const {screen} = web.store.get().route;
	if (pane === 'message') {
		scrollMessage(rows);
	} else if (screen === 'webhooks') {
		(pane === 'inboxes' ? moveEndpoint : moveDelivery)(web, rows);
	} else if (pane === 'inboxes') {
		moveInbox(web, rows);
	} else if (screen === 'faults') {
		(document.activeElement?.matches('[aria-label=Hits]') ? moveHit : moveFault)(web, rows);
	} else if (Number.isFinite(rows)) {
		moveInList(web, rows);
	} else {
		openEnd(web, rows < 0 ? 'newest' : 'oldest');
	}
}

function pageOf({store}: Web, pane: PaneOfScreen): number {
	const {start, end} = shownList(store.get()).view;
	return pane === 'message'
		? scrolled.page / scrolled.line
		: pane === 'messages'
			? Math.max(1, end - start - 1)
			: rowsOfPage;
}

function scrollMessage(lines: number): void {
	const pane = document.querySelector('[data-pane=message]');
	const panes = [...(pane?.querySelectorAll('*') ?? []), ...(pane ? [pane] : [])];
	const scrolling = panes.find(
		each => each.scrollHeight > each.clientHeight && getComputedStyle(each).overflowY !== 'visible',
	);
	scrolling?.scrollBy({top: Math.max(-1e7, Math.min(1e7, lines * scrolled.line))});
}

/** Clears the filter or search, otherwise moves one pane to the left. */
function goBack(web: Web, pane: PaneOfScreen): void {
	const {route, inboxes} = web.store.get();
	if (pane === 'inboxes' && inboxes.filter !== '') {
		filterInboxList(web, '');
	} else if (pane === 'messages' && route.screen === 'mail' && hasConditions(route.filter)) {
		filterList(web, {});
	} else {
		enterPane(web, -1);
	}
}

/** Opens webhooks or faults, or returns to the mail if they are open. */
function toScreen({store, go}: Web, screen: 'webhooks' | 'faults'): void {
	const {route, inboxes} = store.get();
	const inbox = selectedInbox(inboxes);
	if (route.screen === screen) {
		go(mailRoute(inbox?.id));
	} else {
		go(screen === 'webhooks' ? {screen} : {screen, inboxId: inbox?.id ?? null});
	}
}

/** Focuses the filter of the inboxes or of the messages. */
function focusFilter(pane: PaneOfScreen): void {
	const fields = pane === 'inboxes' ? ['#inbox-filter', '#filter'] : ['#filter'];
	const field = fields.map(id => document.querySelector<HTMLInputElement>(id)).find(each => each !== null);
	field?.focus();
	field?.select();
}

/** Deletes the selected inbox, message or fault. */
function remove(web: Web, pane: PaneOfScreen): void {
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
	if (pane === 'inboxes' && inbox) {
		removeInbox(web, inbox);
	} else if (pane !== 'inboxes' && message) {
		removeMessage(web, message);
	}
}

/** Undoes the last delete. */
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

/** Copies the text of the selected object, or opens a menu of several texts. */
function copyFromMenu(web: Web, pane: PaneOfScreen): void {
	const items = copyables(web, pane);
	const [only] = items;
	if (only !== undefined && items.length === 1) {
		void attempt(web, async () => copyToClipboard(web, only.text));
	} else if (only !== undefined) {
		web.store.update({dialog: {type: 'copy', items}});
	}
}

function copyables(web: Web, pane: PaneOfScreen): readonly Copyable[] {
	const {route, inboxes, webhooks, faults} = web.store.get();
	const inbox = selectedInbox(inboxes);
	if (route.screen === 'webhooks') {
		const endpoint = openEndpoint(webhooks, route);
		const delivery = openDelivery(webhooks, route);
		const deliveryId = typeof delivery === 'object' ? delivery.id : undefined;
		return copyablesOf({url: endpoint?.url, endpointId: endpoint?.id, deliveryId});
	}

	if (route.screen === 'faults') {
		const faultId = faultChosen(route.faultId);
		const hit = openHit(hitsOf(faults, route.inboxId, faultId), route.hitId);
		const {id: hitId, reply, message_id: messageId} = hit ?? {};
		return copyablesOf({address: inbox?.email_address, reply, faultId, hitId, messageId});
	}

	if (pane === 'inboxes') {
		return copyablesOf({address: inbox?.email_address, id: inbox?.id});
	}

	const message = openedMessage(web);
	const inboxOfMessage = inboxes.all.find(({id}) => id === message?.inbox_id) ?? inbox;
	return copyablesOf({
		code: message?.codes[0],
		link: message?.links[0]?.url,
		address: inboxOfMessage?.email_address,
		id: message?.id,
		pageUrl: message && location.href,
	});
}

/** Runs the bindings of keys, unless a field, a button or a dialog handles them. */
export function listenToKeys(web: Web): void {
	addEventListener('keydown', event => {
		const {account, dialog, route} = web.store.get();
		const isOurs = account.status === 'in' && dialog === undefined && !event.defaultPrevented && !isOfBrowser(event);
		const key = nameOf(event);
		if (!isOurs || isOfElement(key, event.target)) {
			return;
		}

		const pane = paneInFocus(web);
		if (key === 'escape' && isField(event.target)) {
			focusOn(pane);
			event.preventDefault();
			return;
		}

		const binding = bindingOf(webChapters, key, route.screen);
		if (binding) {
			event.preventDefault();
			binding.run(web, pane);
		}
	});
}

/** Keys with modifiers belong to the browser or the system. */
function isOfBrowser({ctrlKey, metaKey, altKey, isComposing}: KeyboardEvent): boolean {
	return ctrlKey || metaKey || altKey || isComposing;
}

/** Name of the key in the bindings. */
function nameOf({key}: KeyboardEvent): string {
	return key.length === 1 ? key : key.toLowerCase().replace('arrow', '');
}

function isField(target: EventTarget | null): boolean {
	return target instanceof HTMLElement && target.matches('input, textarea, select');
}

/** True if the element handles the key itself. */
function isOfElement(key: string, target: EventTarget | null): boolean {
	if (!(target instanceof HTMLElement)) {
		return false;
	}

	return isField(target)
		? key !== 'escape'
		: ['enter', ' '].includes(key) && target.matches('a[href], button, summary') && !target.matches('[role=option]');
}
