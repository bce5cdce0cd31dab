import {type KeyWords, keyWords, tabWordsAt} from '../../core/key-words.js';
import {moveFault, moveHit} from '../actions/faults.js';
import {moveInbox, showUnseenInbox} from '../actions/inboxes.js';
import {showTab} from '../actions/message.js';
import {moveInList, openEnd, switchFollow} from '../actions/message-list.js';
import {fetchAttachment, fetchMessage, openTabBeside, showPreview} from '../actions/open-message.js';
import {moveDelivery, moveEndpoint} from '../actions/webhooks.js';
import {openList} from '../state/open-list.js';
import {messageTabs, type Route, tabWords} from '../state/route.js';
import type {Web} from '../web.js';
import {copyFromMenu} from './copy.js';
import {enterPane, type PaneOfScreen} from './focus.js';
import {focusFilter, goBack, redeliverOpened, remove, testOpened, toScreen, undoLast} from './run.js';

/** What keys do. The help and the handler of keys both read this. */
export type WebBinding = KeyWords & {run(web: Web, place: PaneOfScreen): unknown};

export type WebChapter = {
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
		{...keyWords.saveAttachment, run: fetchAttachment},
		{...keyWords.saveMessage, run: fetchMessage},
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
export function webBindingOf(key: string, screen: Route['screen']): WebBinding | undefined {
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
