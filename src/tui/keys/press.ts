import {causeOf} from '../../lib/errors.js';
import {plainLine} from '../../lib/sanitize.js';
import {filterInboxes} from '../state/inboxes.js';
import {filterMessages} from '../state/messages.js';
import type {Dialog, InputDialog} from '../state/state.js';
import type {Input} from '../terminal/keyboard.js';
import type {Watch} from '../watch.js';
import {bindingOf} from './bindings.js';
import {addInbox} from './commands.js';
import {copyText} from './copy.js';
import {scrollHelp} from './help.js';

/** Does what an input means now: an open dialog gets it first, then the table of keys. */
export function press(watch: Watch, input: Input): void {
	const {store} = watch;
	const {dialog, screen} = store.get();
	store.update({notice: undefined});
	if (dialog?.type === 'input') {
		run(watch, () => edit(watch, dialog, input));
	} else if (input.type === 'key') {
		const command = dialog === undefined ? bindingOf(input.key, screen)?.run : () => answer(watch, dialog, input.key);
		run(watch, () => command?.(watch));
	}
}

/** Starts at once: the next key of the same read may already mean something else. */
async function run({store}: Watch, work: () => void | Promise<void>): Promise<void> {
	try {
		await work();
	} catch (error) {
		store.update({notice: {text: causeOf(error), tone: 'error'}});
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
			copyText(watch, item.text);
		}
	}
}

/** Characters of what is typed or pasted that count: no name is longer, and no search takes much more. */
const maxInput = 1000;

async function edit(watch: Watch, dialog: InputDialog, input: Input): Promise<void> {
	const {store} = watch;
	const {purpose, selected} = dialog;
	const typed = input.type === 'paste' ? dialog.text + plainLine(input.text) : edited(dialog.text, input.key);
	const text = typed.slice(0, maxInput);
	const accepts = input.type === 'key' && input.key === 'enter';
	const cancels = input.type === 'key' && ['escape', 'ctrl+c'].includes(input.key);
	store.update({dialog: accepts || cancels ? undefined : {...dialog, text}});
	if (accepts) {
		await accepted(watch, purpose, text);
	} else if (purpose !== 'name inbox') {
		const filter = purpose === 'filter inboxes' ? filterInboxes : filterMessages;
		store.update(state => filter(state, cancels ? '' : text, selected));
	}
}

async function accepted(watch: Watch, purpose: InputDialog['purpose'], text: string): Promise<void> {
	if (purpose === 'name inbox') {
		await addInbox(watch, text.trim());
	} else if (purpose === 'filter messages' && text !== '') {
		// The message that the filter found stays selected, whatever comes.
		watch.store.update(({messages}) => ({messages: {...messages, follow: false}}));
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
