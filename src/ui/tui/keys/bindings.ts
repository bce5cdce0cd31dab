import {type KeyWords, keyWords, tabWordsAt} from '../../core/key-words.js';
import {tabs, tabWords} from '../../core/tabs.js';
import {filterInboxes, toUnseenInbox} from '../state/inboxes.js';
import {focusOf, listHeight} from '../state/layout.js';
import {filterMessages, restart, toggleFollow} from '../state/messages.js';
import {moveInPane, movePane, openTab, switchScreen, turnTab} from '../state/move.js';
import {toMatch} from '../state/search.js';
import {type PaneName, panes} from '../state/state.js';
import type {Update} from '../state/update.js';
import type {Command} from '../watch.js';
import * as commands from './commands.js';
import {copy} from './copy.js';

/** What keys do. The help screen and the handler of keys both read this. */
export type Binding = KeyWords & {
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
	title: 'Navigation',
	bindings: [
		{...keyWords.down, ...move(() => 1)},
		{...keyWords.up, ...move(() => -1)},
		{keys: ['ctrl+d', 'pagedown', ' '], does: 'Page down', ...move(page => page)},
		{keys: ['ctrl+u', 'pageup'], does: 'Page up', ...move(page => -page)},
		{...keyWords.first, ...move(() => -Infinity)},
		{...keyWords.last, ...move(() => Infinity)},
		{keys: ['l', 'right', 'tab', 'enter'], does: 'Next pane', run: act(state => movePane(state, 1))},
		{keys: ['h', 'left', 'shift+tab'], does: 'Previous pane', run: act(state => movePane(state, -1))},
		{...keyWords.back, run: goBack},
		{...keyWords.webhooks, run: act(state => switchScreen(state, 'webhooks'))},
		{...keyWords.faults, run: act(state => switchScreen(state, 'faults'))},
	],
};

const mail: Chapter = {
	title: 'Mail',
	panes: panes.mail,
	bindings: [
		{...keyWords.filter, run: commands.askForFilter},
		{...keyWords.follow, run: act(toggleFollow)},
		{...keyWords.unseen, run: act(toUnseenInbox)},
		{...keyWords.newInbox, run: act({dialog: {type: 'input', purpose: 'name inbox', text: ''}})},
		{...keyWords.remove, run: commands.askToDelete},
		{...keyWords.nextTab, run: act(state => turnTab(state, 1))},
		{...keyWords.tabBefore, run: act(state => turnTab(state, -1))},
		...tabs.map(
			(tab, index): Binding => ({...tabWordsAt(index, tabWords[tab]), run: act(state => openTab(state, tab))}),
		),
		{keys: ['o'], does: 'Open in the browser', command: 'messages open', run: commands.openInBrowser},
		{keys: ['e'], does: 'Show the source in $PAGER', command: 'messages raw', run: commands.pageSource},
		{...keyWords.saveAttachment, run: commands.saveAttachment},
		{...keyWords.saveMessage, run: commands.saveMessage},
	],
};

const message: Chapter = {
	title: 'Message',
	panes: ['preview'],
	bindings: [
		{keys: ['/'], does: 'Search the message', run: commands.askForSearch},
		{keys: ['n'], does: 'Next match', run: act(state => toMatch(state, 1))},
		{keys: ['N'], does: 'Previous match', run: act(state => toMatch(state, -1))},
		{keys: ['enter'], does: 'Open the link or copy the code', run: commands.openItem},
	],
};

const webhooks: Chapter = {
	title: 'Webhooks',
	panes: panes.webhooks,
	bindings: [
		{...keyWords.redeliver, run: commands.redeliver},
		{...keyWords.test, run: commands.testEndpoint},
	],
};

const faults: Chapter = {
	title: 'Faults',
	panes: ['faults'],
	bindings: [{...keyWords.removeFault, run: commands.askToDeleteFault}],
};

const program: Chapter = {
	title: 'Everywhere',
	bindings: [
		{...keyWords.copy, run: copy},
		{...keyWords.help, run: act({dialog: {type: 'help', top: 0}})},
		{
			keys: ['ctrl+l'],
			does: 'Reload and redraw',
			run({store, outside}) {
				store.update(restart);
				outside.repaint();
			},
		},
		{keys: ['ctrl+z'], does: 'Suspend (resume with fg)', run: ({outside}) => outside.suspend()},
		{keys: ['q', 'ctrl+c'], does: 'Quit', run: ({outside}) => outside.quit()},
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
