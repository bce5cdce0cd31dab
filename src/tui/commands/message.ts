import {reasonOf} from '../../lib/reason-of.js';
import {selectedRow} from '../state/list.js';
import {type Tab, tabs} from '../state/state.js';
import {showControls} from '../text/controls.js';
import type {Command} from '../watch.js';
import {notify} from './notify.js';

/** Opens the tab that is so many further, around the end. */
export function turnTab(by: 1 | -1): Command {
	return ({store}) => {
		const index = tabs.indexOf(store.get().preview.tab) + by;
		store.dispatch({type: 'tab', tab: tabs.at(index % tabs.length) ?? 'text'});
	};
}

export function openTab(tab: Tab): Command {
	return ({store}) => store.dispatch({type: 'tab', tab});
}

/** Asks for the text to filter the messages by. */
export const askForFilter: Command = ({store}) => {
	store.dispatch({type: 'dialog', dialog: {type: 'input', purpose: 'filter', text: store.get().messages.filter}});
};

/** Shows the message in the browser, on a page of the daemon. */
export const openInBrowser: Command = async watch => {
	const message = selectedRow(watch.store.get().messages.shown);
	if (message !== undefined) {
		const {url} = await watch.api.messages.preview(message.inbox_id, message.id);
		const shown = await watch.outside.browse(url);
		notify(watch, shown ? `Opened ${url}` : `No browser could be started. Open ${url}`);
	}
};

/** Shows the whole source in the pager, its control characters made visible. */
export const pageSource: Command = async ({store, api, outside}) => {
	const message = selectedRow(store.get().messages.shown);
	if (message !== undefined) {
		const bytes = await api.messages.raw(message.inbox_id, message.id);
		outside.page(showControls(bytes.toString()));
	}
};

/** Saves the selected attachment in the working directory. */
export const saveAttachment: Command = async watch => {
	const {message, tab, item} = watch.store.get().preview;
	const attachment = message?.attachments[tab === 'attachments' ? item : 0];
	if (message === undefined || attachment === undefined) {
		notify(watch, 'This message has no attachment to save.');
		return;
	}

	try {
		const bytes = await watch.api.messages.attachment(message.inbox_id, message.id, attachment.id);
		notify(watch, `Saved ${await watch.outside.save(attachment.filename, bytes)}`);
	} catch (error) {
		throw new Error(`The attachment was not saved: ${reasonOf(error)}`, {cause: error});
	}
};
