import {filterInboxes, toUnseenInbox} from '../state/inboxes.js';
import {focusOf, listHeight} from '../state/layout.js';
import {filterMessages, restart, toggleFollow} from '../state/messages.js';
import {moveInPane, movePane, openTab, switchScreen, turnTab} from '../state/move.js';
import {toMatch} from '../state/search.js';
import {type PaneName, panes, tabs} from '../state/state.js';
import type {Update} from '../state/update.js';
import type {Command} from '../watch.js';
import * as commands from './commands.js';
import {copy} from './copy.js';

/** What keys do. The help screen and the handler of keys both read this. */
export type Binding = {
	/** The first one is shown in hints. */
	readonly keys: readonly string[];
	readonly does: string;
	/** The command of the CLI that does the same. */
	readonly command?: string;
	/** How far a key moves down; up when negative. */
	readonly rows?: (page: number) => number;
	readonly run: Command;
};

export type Chapter = {
	readonly title: string;
	/** The panes in which the keys work; undefined is all. */
	readonly panes?: readonly PaneName[];
	readonly bindings: readonly Binding[];
};

const act =
	(update: Update): Command =>
	({store}) =>
		store.update(update);

const move = (rows: (page: number) => number): Pick<Binding, 'rows' | 'run'> => ({
	rows,
	run: act(state => moveInPane(state, rows(Math.max(1, listHeight(state) - 1)))),
});

/** Back to where one came from: first out of the filter, then a pane to the left. */
const goBack = act(state => {
	const pane = focusOf(state);
	if (pane === 'inboxes' && state.inboxes.filter !== '') {
		return filterInboxes(state, '');
	}

	if (pane === 'preview' && state.preview.search !== '') {
		return {preview: {...state.preview, search: '', match: undefined}};
	}

	return pane === 'messages' && state.messages.filter !== '' ? filterMessages(state, '') : movePane(state, -1);
});

const moving: Chapter = {
	title: 'Moving',
	bindings: [
		{keys: ['j', 'down'], does: 'down', ...move(() => 1)},
		{keys: ['k', 'up'], does: 'up', ...move(() => -1)},
		{keys: ['ctrl+d', 'pagedown', ' '], does: 'a page down', ...move(page => page)},
		{keys: ['ctrl+u', 'pageup'], does: 'a page up', ...move(page => -page)},
		{keys: ['g', 'home'], does: 'to the first row', ...move(() => -Infinity)},
		{keys: ['G', 'end'], does: 'to the last row', ...move(() => Infinity)},
		{keys: ['l', 'right', 'tab', 'enter'], does: 'to the next pane', run: act(state => movePane(state, 1))},
		{keys: ['h', 'left', 'shift+tab'], does: 'to the pane before', run: act(state => movePane(state, -1))},
		{keys: ['escape'], does: 'out of filter or search, or back', run: goBack},
		{keys: ['w'], does: 'webhooks, or back to mail', run: act(state => switchScreen(state, 'webhooks'))},
		{
			keys: ['F'],
			does: 'faults of the inbox, or back',
			command: 'faults list, faults hits',
			run: act(state => switchScreen(state, 'faults')),
		},
	],
};

const mail: Chapter = {
	title: 'Mail',
	panes: panes.mail,
	bindings: [
		{keys: ['/'], does: 'filter inboxes or messages', command: 'messages list', run: commands.askForFilter},
		{keys: ['f'], does: 'follow the newest, or stop', command: 'messages tail', run: act(toggleFollow)},
		{keys: ['u'], does: 'next inbox with new mail', run: act(toUnseenInbox)},
		{
			keys: ['n'],
			does: 'new inbox',
			command: 'inbox create',
			run: act({dialog: {type: 'input', purpose: 'name inbox', text: ''}}),
		},
		{keys: ['d'], does: 'delete inbox or message', command: 'inbox delete, messages delete', run: commands.askToDelete},
		{keys: [']'], does: 'next tab of the message', run: act(state => turnTab(state, 1))},
		{keys: ['['], does: 'tab before', run: act(state => turnTab(state, -1))},
		...tabs.map(
			(tab, index): Binding => ({
				keys: [String(index + 1)],
				does: `tab ${tab}`,
				command: 'messages show',
				run: act(state => openTab(state, tab)),
			}),
		),
		{keys: ['o'], does: 'open in the browser', command: 'messages open', run: commands.openInBrowser},
		{keys: ['e'], does: 'source in $PAGER', command: 'messages raw', run: commands.pageSource},
		{keys: ['s'], does: 'save the attachment', command: 'messages save --attachment', run: commands.saveAttachment},
		{keys: ['S'], does: 'save the message', command: 'messages save', run: commands.saveMessage},
	],
};

const message: Chapter = {
	title: 'In a message',
	panes: ['preview'],
	bindings: [
		{keys: ['/'], does: 'search', run: commands.askForSearch},
		{keys: ['n'], does: 'next place with the text', run: act(state => toMatch(state, 1))},
		{keys: ['N'], does: 'place before', run: act(state => toMatch(state, -1))},
		{keys: ['enter'], does: 'open the link, copy the code', run: commands.openItem},
	],
};

const webhooks: Chapter = {
	title: 'Webhooks',
	panes: panes.webhooks,
	bindings: [
		{keys: ['r'], does: 'redeliver', command: 'webhooks redeliver', run: commands.redeliver},
		{keys: ['t'], does: 'send a test', command: 'webhooks test', run: commands.testEndpoint},
	],
};

const faults: Chapter = {
	title: 'Faults',
	panes: ['faults'],
	bindings: [{keys: ['d'], does: 'delete the fault', command: 'faults clear', run: commands.askToDeleteFault}],
};

const program: Chapter = {
	title: 'Everywhere',
	bindings: [
		{keys: ['y'], does: 'copy address, code, link or id', command: 'messages show --field', run: copy},
		{keys: ['?'], does: 'this help', run: act({dialog: {type: 'help', top: 0}})},
		{
			keys: ['ctrl+l'],
			does: 'read and draw all anew',
			run({store, outside}) {
				store.update(restart);
				outside.repaint();
			},
		},
		{keys: ['ctrl+z'], does: 'suspend; fg comes back', run: ({outside}) => outside.suspend()},
		{keys: ['q', 'ctrl+c'], does: 'quit', run: ({outside}) => outside.quit()},
	],
};

export const chapters: readonly Chapter[] = [moving, mail, message, webhooks, faults, program];

/** What a key does in a pane; undefined when nothing. A chapter for few panes comes before one for more. */
export function bindingOf(key: string, pane: PaneName): Binding | undefined {
	return chapters
		.filter(({panes = [pane]}) => panes.includes(pane))
		.sort((a, b) => (a.panes?.length ?? Infinity) - (b.panes?.length ?? Infinity))
		.flatMap(({bindings}) => bindings)
		.find(({keys}) => keys.includes(key));
}
