import {bindingOf, type Chapter, type KeyWords, keyWords, tabs, tabWords, tabWordsAt} from '../../core/keys.js';
import {focusOf, listHeight} from '../state/layout.js';
import {filterMessages, restart, toggleAutoOpen} from '../state/messages.js';
import {filterInboxes, moveInPane, movePane, openTab, switchScreen, toUnseenInbox, turnTab} from '../state/move.js';
import {toMatch} from '../state/reading.js';
import {type PaneName, panes, type WatchState} from '../state/state.js';
import type {Update} from '../state/update.js';
import type {Command} from '../watch.js';
import * as commands from './commands.js';
import {copy} from './commands.js';

/** Keys with their action. Used by the help and the key handler. */
type Binding = KeyWords & {
	/** Number of rows that the key moves down; negative for up. */
	readonly rows?: (page: number) => number;
	readonly run: Command;
};

type PaneChapter = Chapter<PaneName, Binding>;

const act =
	(update: Update): Command =>
	({store}) =>
		store.update(update);

const move = (rows: (page: number) => number): Pick<Binding, 'rows' | 'run'> => ({
	rows,
	run: act(state => moveInPane(state, rows(Math.max(1, listHeight(state) - 1)))),
});

/** Clears the filter or search, otherwise moves one pane to the left. */
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

const moving: PaneChapter = {
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

const mail: PaneChapter = {
	title: 'Mail',
	places: panes.mail,
	bindings: [
		{...keyWords.filter, run: commands.askForFilter},
		{...keyWords.autoOpen, run: act(toggleAutoOpen)},
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

const message: PaneChapter = {
	title: 'Message',
	places: ['preview'],
	bindings: [
		{keys: ['/'], does: 'Search the message', run: commands.askForSearch},
		{keys: ['n'], does: 'Next match', run: act(state => toMatch(state, 1))},
		{keys: ['N'], does: 'Previous match', run: act(state => toMatch(state, -1))},
		{keys: ['enter'], does: 'Open the link or copy the code', run: commands.openItem},
	],
};

const webhooks: PaneChapter = {
	title: 'Webhooks',
	places: panes.webhooks,
	bindings: [
		{...keyWords.redeliver, run: commands.redeliver},
		{...keyWords.test, run: commands.testEndpoint},
	],
};

const faults: PaneChapter = {
	title: 'Faults',
	places: ['faults'],
	bindings: [{...keyWords.removeFault, run: commands.askToDeleteFault}],
};

const program: PaneChapter = {
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

export const chapters: readonly PaneChapter[] = [moving, mail, message, webhooks, faults, program];

/** Binding of a key in a pane; undefined for none. */
export function bindingIn(pane: PaneName, key: string): Binding | undefined {
	return bindingOf(chapters, key, pane);
}

/** Line of the help: title of a chapter, or a key. */
export type HelpLine = {readonly title: string} | Pick<Binding, 'keys' | 'does' | 'command'>;

/** Terminals handle the mouse themselves while Shift is held. */
const mouse: readonly HelpLine[] = [
	{title: 'Mouse'},
	{keys: ['wheel'], does: 'Scroll'},
	{keys: ['click'], does: 'Select a pane, row or tab'},
	{keys: ['shift drag'], does: 'Select text (on a Mac: Option)'},
];

export const helpLines: readonly HelpLine[] = [
	...chapters.flatMap(({title, bindings}) => [{title}, ...bindings]),
	...mouse,
];

/** First line in view after a key; undefined for a key that closes the help. */
export function scrollHelp(state: WatchState, top: number, key: string): number | undefined {
	const height = listHeight(state);
	const rows = bindingIn(focusOf(state), key)?.rows?.(height);
	return rows === undefined ? undefined : helpTop(state, top + rows);
}

/** Nearest line to `top` that can be the first one in view. */
export function helpTop(state: WatchState, top: number): number {
	return Math.max(0, Math.min(top, helpLines.length - listHeight(state)));
}

/** Most useful keys of each pane, by importance. */
const hints: Readonly<Record<PaneName, string>> = {
	inboxes: '? help, q quit, l messages, / filter, n create, u new mail, y copy, d delete, w webhooks, F faults',
	messages: '? help, q quit, l open, / filter, f auto-open, y copy, d delete',
	preview: '? help, h back, 1-6 tabs, / search, y copy, o browser, s save, e pager',
	endpoints: '? help, q quit, l deliveries, t test, y copy, w mail',
	deliveries: '? help, h back, l open, r redeliver, y copy, w mail',
	delivery: '? help, h back, r redeliver, y copy, w mail',
	faults: '? help, q quit, F mail, l hits, d delete, y copy',
	hits: '? help, h back, l open, y copy, F mail',
	hit: '? help, h back, y copy, F mail',
};

export function hintsFor(state: WatchState): readonly string[] {
	return state.dialog?.type === 'help' ? ['j k scroll', 'any other key closes'] : hints[focusOf(state)].split(', ');
}
