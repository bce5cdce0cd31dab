import {selectedRow} from '../state/list.js';
import type {Request} from '../state/state.js';
import type {Command, Watch} from '../watch.js';
import {notify} from './notify.js';

/** Asks for the name of a new inbox. */
export const askForInbox: Command = ({store}) => {
	store.dispatch({type: 'dialog', dialog: {type: 'input', purpose: 'inbox', text: ''}});
};

export async function createInbox(watch: Watch, name: string): Promise<void> {
	const inbox = await watch.api.inboxes.create(name === '' ? {} : {name});
	watch.store.dispatch({type: 'events', events: [{type: 'inbox.created', inbox}]});
	watch.store.dispatch({type: 'select inbox', inboxId: inbox.id});
	notify(watch, `Created ${inbox.email_address}: y copies the address.`);
}

/** Asks whether to delete the inbox or the message that the pane with the focus has selected. */
export const askToDelete: Command = ({store}) => {
	const {mailPane, inboxes, messages} = store.get();
	const inbox = selectedRow(inboxes);
	const message = selectedRow(messages.shown);
	if (mailPane === 'inboxes' && inbox !== undefined) {
		const request = {type: 'delete inbox', inboxId: inbox.id} as const;
		const text = `Delete ${inbox.email_address} and its ${inbox.message_count} messages?`;
		store.dispatch({type: 'dialog', dialog: {type: 'question', text, request}});
	} else if (mailPane !== 'inboxes' && message !== undefined) {
		const request = {type: 'delete message', inboxId: message.inbox_id, messageId: message.id} as const;
		store.dispatch({
			type: 'dialog',
			dialog: {type: 'question', text: `Delete the message "${message.subject}"?`, request},
		});
	}
};

/** Does what a question asked for. */
export async function perform(watch: Watch, request: Request): Promise<void> {
	if (request.type === 'delete inbox') {
		await watch.api.inboxes.delete(request.inboxId);
		notify(watch, 'Deleted the inbox.');
	} else {
		await watch.api.messages.delete(request.inboxId, request.messageId);
		notify(watch, 'Deleted the message.');
	}
}
