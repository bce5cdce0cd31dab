import {causeOf} from '../../lib/errors.js';
import {plainLine} from '../../lib/sanitize.js';
import {withFilter} from '../state/messages.js';
import type {Dialog} from '../state/state.js';
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

async function edit(watch: Watch, dialog: Extract<Dialog, {type: 'input'}>, input: Input): Promise<void> {
	const {store} = watch;
	const {purpose} = dialog;
	const typed = input.type === 'paste' ? dialog.text + plainLine(input.text) : edited(dialog.text, input.key);
	const text = typed.slice(0, maxInput);
	const ends = input.type === 'key' && ['enter', 'escape', 'ctrl+c'].includes(input.key);
	const cancels = ends && input.key !== 'enter';
	store.update({dialog: ends ? undefined : {type: 'input', purpose, text}});
	if (purpose === 'filter') {
		store.update(state => withFilter(state, cancels ? '' : text));
	} else if (ends && !cancels) {
		await addInbox(watch, text.trim());
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
