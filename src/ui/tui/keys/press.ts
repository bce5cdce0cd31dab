import {plainLine} from '../../../lib/text/sanitize.js';
import {errorNotice} from '../../core/store.js';
import {focusOf} from '../state/layout.js';
import {filterMessages} from '../state/messages.js';
import {clickAt, filterInboxes, wheelAt} from '../state/move.js';
import {searchMessage} from '../state/reading.js';
import type {Dialog, InputDialog, WatchState} from '../state/state.js';
import type {Input, MouseInput} from '../terminal/keyboard.js';
import type {Watch} from '../watch.js';
import {bindingIn, helpTop, scrollHelp} from './bindings.js';
import {addInbox, copyText} from './commands.js';

/** Handles an input: an open dialog receives it, otherwise the table of keys. */
export function press(watch: Watch, input: Input): void {
	const {store} = watch;
	const {dialog} = store.get();
	store.update({notice: undefined});
	if (input.type === 'mouse') {
		store.update(state => pointed(state, input));
		return;
	}

	if (dialog?.type === 'input') {
		run(watch, () => edit(watch, dialog, input));
	} else if (input.type === 'key') {
		const command =
			dialog === undefined ? bindingIn(focusOf(store.get()), input.key)?.run : () => answer(watch, dialog, input.key);
		run(watch, () => command?.(watch));
	}
}

/** Starts synchronously, because the next key of the same read may depend on the result. */
async function run({store}: Watch, work: () => void | Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		store.update({notice: errorNotice(error)});
	}
}

async function answer(watch: Watch, dialog: Exclude<Dialog, {type: 'input'}>, key: string): Promise<void> {
	const {store} = watch;
	const top = dialog.type === 'help' ? scrollHelp(store.get(), dialog.top, key) : undefined;
	store.update({dialog: top === undefined ? undefined : {type: 'help', top}});
	if (dialog.type === 'question' && key === 'y') {
		await dialog.onYes();
	} else if (dialog.type === 'copy') {
		const item = dialog.items.find(candidate => candidate.key === key);
		if (item !== undefined) {
			await copyText(watch, item.text);
		}
	}
}

/** Maximum length of an entered text. */
const maxInput = 1000;

/** Mouse input does not answer dialogs, but scrolls the help. */
function pointed(state: WatchState, input: MouseInput): Partial<WatchState> {
	const {dialog} = state;
	const by = input.action === 'wheel up' ? -1 : 1;
	if (dialog !== undefined) {
		return dialog.type === 'help' && input.action !== 'click'
			? {dialog: {type: 'help', top: helpTop(state, dialog.top + by)}}
			: {};
	}

	return input.action === 'click' ? clickAt(state, input) : wheelAt(state, input, by);
}

async function edit(watch: Watch, dialog: InputDialog, input: Exclude<Input, MouseInput>): Promise<void> {
	const {store} = watch;
	const longer = input.type === 'paste' ? dialog.text + plainLine(input.text) : edited(dialog.text, input.key);
	const text = longer.slice(0, maxInput);
	const accepts = input.type === 'key' && input.key === 'enter';
	const cancels = input.type === 'key' && ['escape', 'ctrl+c'].includes(input.key);
	store.update({dialog: accepts || cancels ? undefined : {...dialog, text}});
	if (accepts) {
		await accepted(watch, dialog.purpose, text);
	} else {
		store.update(state => typed(state, dialog, cancels ? '' : text));
	}
}

/** Applies filters and searches while the user types. */
function typed(state: WatchState, {purpose, selected, from = 0}: InputDialog, text: string): Partial<WatchState> {
	switch (purpose) {
		case 'filter inboxes':
			return filterInboxes(state, text, selected);
		case 'filter messages':
			return filterMessages(state, text, selected);
		case 'search message':
			return searchMessage(state, text, from);
		case 'name inbox':
			return {};
	}
}

async function accepted(watch: Watch, purpose: InputDialog['purpose'], text: string): Promise<void> {
	if (purpose === 'name inbox') {
		await addInbox(watch, text.trim());
	} else if (purpose === 'filter messages' && text !== '') {
		// Arrivals do not change the selection in a filtered list.
		watch.store.update(({messages}) => ({messages: {...messages, autoOpen: false}}));
	}
}

const segmenter = new Intl.Segmenter();

function edited(text: string, key: string): string {
	switch (key) {
		case 'backspace':
		case 'delete':
			return text.slice(0, [...segmenter.segment(text)].at(-1)?.index ?? 0);
		case 'ctrl+u':
			return '';
		case 'ctrl+w':
			return text.replace(/\S*\s*$/, '');
		default:
			return [...key].length === 1 ? text + key : text;
	}
}
