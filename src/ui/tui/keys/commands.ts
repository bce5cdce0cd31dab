import {causeOf} from '../../../lib/errors.js';
import type {Browsed} from '../../../lib/io/browse.js';
import {plainLine, showControls} from '../../../lib/text/sanitize.js';
import {faultQuestion} from '../../core/faults.js';
import {selectedInbox, withInbox, withInboxes} from '../../core/inboxes.js';
import {type Copyable, copyablesOf} from '../../core/keys.js';
import {selectedRow} from '../../core/list.js';
import {redeliveryOutcome, testOutcome} from '../../core/webhooks.js';
import {selectedFault} from '../state/faults.js';
import {codesAndLinks, hasItems} from '../state/reading.js';
import type {WatchState} from '../state/state.js';
import type {Command, Watch} from '../watch.js';

/** Creates an inbox and selects it. `''` means no name. */
export async function addInbox(watch: Watch, name: string): Promise<void> {
	const inbox = await watch.api.inboxes.create(name === '' ? {} : {name});
	watch.store.update(({inboxes: {all, shown}}) => ({
		inboxes: withInboxes({all, shown: {...shown, selected: inbox.id}, filter: ''}, withInbox(all, inbox)),
	}));
	notify(watch, `Created ${inbox.email_address}. Press y to copy the address.`);
}

/** Asks for confirmation, then deletes the selected inbox or message of the focused pane. */
export const askToDelete: Command = watch => {
	const {store, api} = watch;
	const {focus, inboxes, messages} = store.get();
	const inbox = selectedInbox(inboxes);
	const message = selectedRow(messages.shown);
	if (focus.mail !== 'inboxes' && message !== undefined) {
		const {inbox_id, id, subject} = message;
		ask(
			watch,
			`Delete the message "${subject || '(no subject)'}"?`,
			() => api.messages.delete(inbox_id, id),
			'Deleted the message.',
		);
	} else if (focus.mail === 'inboxes' && inbox !== undefined) {
		const {id, email_address: address, message_count: count} = inbox;
		ask(
			watch,
			`Delete ${address} and its ${count} ${count === 1 ? 'message' : 'messages'}?`,
			() => api.inboxes.delete(id),
			'Deleted the inbox.',
		);
	}
};

/** Asks for confirmation, then deletes the selected fault. */
export const askToDeleteFault: Command = watch => {
	const {inboxId = null, ...state} = watch.store.get().faults;
	const fault = selectedFault(state);
	if (fault !== undefined) {
		ask(watch, faultQuestion(fault), () => watch.api.faults.delete(inboxId, fault.id), 'Deleted the fault.');
	}
};

function ask(watch: Watch, text: string, remove: () => Promise<unknown>, done: string): void {
	const onYes = async () => {
		await remove();
		notify(watch, done);
	};
	watch.store.update({dialog: {type: 'question', text, onYes}});
}

/** Opens the input for the filter of the focused list. */
export const askForFilter: Command = ({store}) => {
	store.update(({focus, inboxes, messages}) => {
		const purpose = focus.mail === 'inboxes' ? 'filter inboxes' : 'filter messages';
		const {filter, shown} = focus.mail === 'inboxes' ? inboxes : messages;
		return {dialog: {type: 'input', purpose, text: filter, selected: shown.selected}};
	});
};

/** Opens the input for a search in the open tab. */
export const askForSearch: Command = ({store}) => {
	store.update(({preview: {tab, top, item}}) => ({
		dialog: {type: 'input', purpose: 'search message', text: '', from: hasItems(tab) ? item : top},
	}));
};

/** Opens the preview page of the message in the browser. */
export const openInBrowser: Command = async watch => {
	const {messages, about} = watch.store.get();
	const message = selectedRow(messages.shown);
	if (message !== undefined) {
		const {url} = await watch.api.messages.preview(message.inbox_id, message.id);
		watch.store.update(({preview}) => (preview.message?.id === message.id ? {preview: {...preview, page: url}} : {}));
		const browsed = await watch.outside.browse(url, about.url);
		notify(
			watch,
			browsed === 'foreign' ? `Not opened, because the URL is not on the daemon: ${url}` : said(browsed, url),
		);
	}
};

function said(browsed: Browsed, url: string): string {
	switch (browsed) {
		case 'opened':
			return `Opened ${url}`;
		case 'foreign':
			return `Not opened, because it is not a web address: ${url}`;
		case 'failed':
			return `Could not start a browser. Press y to copy the link: ${url}`;
	}
}

/** Opens the selected link in the browser, or copies the selected code. */
export const openItem: Command = async watch => {
	const {message, tab, item} = watch.store.get().preview;
	const chosen = message && tab === 'codes' ? codesAndLinks(message)[item] : undefined;
	if (chosen?.kind === 'link') {
		notify(watch, said(await watch.outside.browse(chosen.text), chosen.text));
	} else if (chosen !== undefined) {
		await copyText(watch, chosen.text);
	}
};

/** Shows the whole source in the pager, with visible control characters. */
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
		notify(watch, 'This message has no attachments.');
		return;
	}

	await save(watch, 'attachment', attachment.filename, () =>
		watch.api.messages.attachment(message.inbox_id, message.id, attachment.id),
	);
};

/** Saves the source of the selected message in the working directory. */
export const saveMessage: Command = async watch => {
	const message = selectedRow(watch.store.get().messages.shown);
	if (message !== undefined) {
		const {inbox_id: inboxId, id} = message;
		await save(watch, 'message', `${id}.eml`, () => watch.api.messages.raw(inboxId, id));
	}
};

async function save(watch: Watch, what: string, filename: string, read: () => Promise<Buffer>): Promise<void> {
	try {
		notify(watch, `Saved ${await watch.outside.save(filename, await read())}`);
	} catch (error) {
		throw new Error(`Could not save the ${what}: ${causeOf(error)}`, {cause: error});
	}
}

/** Sends the selected delivery again. */
export const redeliver: Command = async watch => {
	const delivery = selectedRow(watch.store.get().webhooks.records);
	if (delivery !== undefined) {
		notify(watch, `Redelivering ${delivery.id} …`);
		const result = await watch.api.webhooks.redeliver(delivery.webhook_endpoint_id, delivery.id);
		notify(watch, redeliveryOutcome(result));
	}
};

/** Sends a test delivery to the selected endpoint. */
export const testEndpoint: Command = async watch => {
	const endpoint = selectedRow(watch.store.get().webhooks.list);
	if (endpoint !== undefined) {
		notify(watch, `Sending a test to ${endpoint.url} …`);
		notify(watch, testOutcome(await watch.api.webhooks.test(endpoint.id)));
	}
};

/** Shows a notice until the next key. */
export function notify({store}: Watch, text: string): void {
	store.update({notice: {text, tone: 'info'}});
}

/** Copies the text of the selected object, or opens a menu of several texts. */
export const copy: Command = async watch => {
	const items = copyables(watch.store.get());
	const [only] = items;
	if (only !== undefined && items.length === 1) {
		await copyText(watch, only.text);
	} else if (only !== undefined) {
		watch.store.update({dialog: {type: 'copy', items}});
	}
};

/** Copies a text. Copied text is often pasted into terminals, so control characters are removed. */
export async function copyText(watch: Watch, text: string): Promise<void> {
	const plain = plainLine(text);
	const means = await watch.outside.copy(plain);
	notify(watch, `Copied ${plain} (${means})`);
}

function copyables({screen, focus, preview, inboxes, messages, webhooks, faults}: WatchState): readonly Copyable[] {
	const inbox = selectedInbox(inboxes);
	if (screen === 'webhooks') {
		const endpoint = selectedRow(webhooks.list);
		const delivery = selectedRow(webhooks.records);
		return copyablesOf({url: endpoint?.url, endpointId: endpoint?.id, deliveryId: delivery?.id});
	}

	if (screen === 'faults') {
		const hit = selectedRow(faults.records);
		return copyablesOf({
			address: inbox?.email_address,
			reply: hit?.reply,
			faultId: selectedFault(faults)?.id,
			hitId: hit?.id,
			messageId: hit?.message_id,
		});
	}

	if (focus.mail === 'inboxes') {
		return copyablesOf({address: inbox?.email_address, id: inbox?.id});
	}

	const row = selectedRow(messages.shown);
	const open = preview.message;
	if (open && focus.mail === 'preview' && preview.tab === 'codes') {
		const item = codesAndLinks(open)[preview.item];
		if (item !== undefined) {
			return [{key: 'c', label: item.label, text: item.text}];
		}
	}

	const inboxOfRow = inboxes.all.find(({id}) => id === row?.inbox_id) ?? inbox;
	return copyablesOf({
		code: open?.codes[0],
		link: open?.links[0]?.url,
		address: inboxOfRow?.email_address,
		id: row?.id,
		pageUrl: preview.page,
	});
}
