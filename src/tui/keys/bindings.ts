import {copy} from '../commands/copy.js';
import {askForInbox, askToDelete} from '../commands/inbox.js';
import {askForFilter, openInBrowser, openTab, pageSource, saveAttachment, turnTab} from '../commands/message.js';
import {redeliver, testEndpoint} from '../commands/webhook.js';
import type {Action} from '../state/action.js';
import {listHeight} from '../state/layout.js';
import {type State, tabs} from '../state/state.js';
import type {Command} from '../watch.js';

/** What keys do; the help screen and the handler both read this. */
export type Binding = {
	/** The first one is shown in hints. */
	readonly keys: readonly string[];
	readonly does: string;
	/** The same on the command line. */
	readonly command?: string;
	readonly run: Command;
};

export type Chapter = {
	readonly title: string;
	/** The screen on which the keys work; undefined is both. */
	readonly screen?: State['screen'];
	readonly bindings: readonly Binding[];
};

const act =
	(action: Action): Command =>
	({store}) =>
		store.dispatch(action);

const movePages =
	(pages: 1 | -1): Command =>
	({store}) =>
		store.dispatch({type: 'move', rows: pages * Math.max(1, listHeight(store.get()) - 1)});

/** Back to where one came from: first out of the filter, then a pane to the left. */
const goBack: Command = ({store}) => {
	const {screen, mailPane, messages} = store.get();
	store.dispatch(
		screen === 'mail' && mailPane === 'messages' && messages.filter !== ''
			? {type: 'filter', filter: ''}
			: {type: 'pane', by: -1},
	);
};

const moving: Chapter = {
	title: 'Moving',
	bindings: [
		{keys: ['j', 'down'], does: 'down', run: act({type: 'move', rows: 1})},
		{keys: ['k', 'up'], does: 'up', run: act({type: 'move', rows: -1})},
		{keys: ['ctrl+d', 'pagedown', ' '], does: 'a page down', run: movePages(1)},
		{keys: ['ctrl+u', 'pageup'], does: 'a page up', run: movePages(-1)},
		{keys: ['g', 'home'], does: 'to the first row', run: act({type: 'move', rows: -Infinity})},
		{keys: ['G', 'end'], does: 'to the last row', run: act({type: 'move', rows: Infinity})},
		{keys: ['l', 'right', 'tab', 'enter'], does: 'to the next pane', run: act({type: 'pane', by: 1})},
		{keys: ['h', 'left', 'shift+tab'], does: 'to the pane before', run: act({type: 'pane', by: -1})},
		{keys: ['escape'], does: 'out of the filter, or back', run: goBack},
		{keys: ['w'], does: 'webhooks, or back to mail', run: act({type: 'screen'})},
	],
};

const mail: Chapter = {
	title: 'Mail',
	screen: 'mail',
	bindings: [
		{keys: ['/'], does: 'filter messages', command: 'messages list', run: askForFilter},
		{keys: ['f'], does: 'follow the newest, or stop', command: 'messages tail', run: act({type: 'follow'})},
		{keys: ['n'], does: 'new inbox', command: 'inbox create', run: askForInbox},
		{keys: ['d'], does: 'delete inbox or message', command: 'inbox delete, messages delete', run: askToDelete},
		{keys: [']'], does: 'next tab of the message', run: turnTab(1)},
		{keys: ['['], does: 'tab before', run: turnTab(-1)},
		...tabs.map(
			(tab, index): Binding => ({
				keys: [String(index + 1)],
				does: `tab ${tab}`,
				command: 'messages show',
				run: openTab(tab),
			}),
		),
		{keys: ['o'], does: 'open in the browser', command: 'messages open', run: openInBrowser},
		{keys: ['e'], does: 'source in $PAGER', command: 'messages raw', run: pageSource},
		{keys: ['s'], does: 'save the attachment', command: 'messages save', run: saveAttachment},
	],
};

const webhooks: Chapter = {
	title: 'Webhooks',
	screen: 'webhooks',
	bindings: [
		{keys: ['r'], does: 'redeliver', command: 'webhooks redeliver', run: redeliver},
		{keys: ['t'], does: 'send a test', command: 'webhooks test', run: testEndpoint},
	],
};

const program: Chapter = {
	title: 'Everywhere',
	bindings: [
		{keys: ['y'], does: 'copy address, code, link or id', command: 'messages show --field', run: copy},
		{keys: ['?'], does: 'this help', run: act({type: 'dialog', dialog: {type: 'help', top: 0}})},
		{
			keys: ['ctrl+l'],
			does: 'read and draw all anew',
			run({store, outside}) {
				store.dispatch({type: 'reload'});
				outside.repaint();
			},
		},
		{keys: ['ctrl+z'], does: 'suspend; fg comes back', run: ({outside}) => outside.suspend()},
		{keys: ['q', 'ctrl+c'], does: 'quit', run: ({outside}) => outside.quit()},
	],
};

export const chapters: readonly Chapter[] = [moving, mail, webhooks, program];

/** What a key does on a screen; undefined when nothing. */
export function bindingOf(key: string, screen: State['screen']): Binding | undefined {
	return chapters
		.filter(chapter => chapter.screen === undefined || chapter.screen === screen)
		.flatMap(({bindings}) => bindings)
		.find(({keys}) => keys.includes(key));
}

/** A key as people write it. */
export function keyLabel(key: string): string {
	const labels: Readonly<Record<string, string>> = {
		' ': 'space',
		escape: 'esc',
		up: '↑',
		down: '↓',
		left: '←',
		right: '→',
		pageup: 'pgup',
		pagedown: 'pgdn',
	};
	return labels[key] ?? key.replace('ctrl+', '^').replace('shift+', '⇧');
}
