import {path} from '../../../client/caller.js';
import type {EventBody} from '../../../contract/events.js';
import type {InboxBody} from '../../../contract/inboxes.js';
import type {FullMessageBody, MessageSummaryBody} from '../../../contract/messages.js';
import {withInboxEvents} from '../../core/inboxes.js';
import {deleteOnUnload} from '../api.js';
import type {Web} from '../context.js';
import {inboxRowIdOf, routeBeside} from '../state/inbox-rows.js';
import type {Removal} from '../state/state.js';
import {isWide} from './inboxes.js';
import {openMessage, openMessageIn, shownRows, withMailEvents} from './message-list.js';
import {attempt} from './notices.js';

/** Time in which a delete can be undone. */
const undoMs = 6000;

/** Deletes a message after the time to undo. Opens the next message of the list in its place. */
export function removeMessage(web: Web, {inbox_id: inboxId, id, subject}: MessageSummaryBody | FullMessageBody): void {
	const state = web.store.get();
	const {rows} = shownRows(state);
	const index = rows.findIndex(row => row.id === id);
	const next = index < 0 ? undefined : (rows[index + 1] ?? rows[index - 1]);
	addRemoval(web, {id, kind: 'message', inboxId, what: `the message “${subject || '(no subject)'}”`});
	const {route} = state;
	if (openMessageIn(state)?.messageId !== id || route.screen !== 'mail') {
		return;
	}

	if (next && isWide()) {
		openMessage(web, next, 'replace');
	} else {
		web.go({...route, open: undefined}, 'replace');
	}
}

/** Deletes an inbox and its mail after the time to undo. */
export function removeInbox(web: Web, {id, email_address: address}: Pick<InboxBody, 'id' | 'email_address'>): void {
	addRemoval(web, {id, kind: 'inbox', inboxId: id, what: `the inbox ${address}`});
	const state = web.store.get();
	if (inboxRowIdOf(state.route) === id) {
		web.go(isWide() ? routeBeside(state, id) : {screen: 'inboxes'});
	}
}

/** Deletes all current messages of an inbox after the time to undo. */
export async function emptyInbox(web: Web, inbox: Pick<InboxBody, 'id' | 'email_address'>): Promise<void> {
	const {id, email_address: address} = inbox;
	const [newest] = await web.api.messages.summaries(id, {limit: 1});
	if (newest === undefined) {
		return;
	}

	const count = findInbox(web, id)?.message_count;
	addRemoval(web, {id, kind: 'mail', inboxId: id, what: `all messages in ${address}`, upTo: newest.id, count});
	const {route} = web.store.get();
	if (route.screen === 'mail' && route.open?.inboxId === id) {
		web.go({...route, open: undefined}, 'replace');
	}
}

/** Undoes a pending delete. */
export function undoRemoval({store}: Web, removal: Removal): void {
	store.update(({removals}) => ({removals: removals.filter(other => other !== removal)}));
}

/** Commits pending deletes on page unload. */
export function commitRemovalsOnUnload({store}: Web): void {
	addEventListener('pagehide', () => {
		const {removals} = store.get();
		store.update({removals: []});
		for (const removal of removals) {
			deleteOnUnload(pathOf(removal));
		}
	});
}

function addRemoval(web: Web, removal: Removal): void {
	const {store} = web;
	if (store.get().removals.some(({id, kind}) => id === removal.id && kind === removal.kind)) {
		return;
	}

	store.update(({removals}) => ({removals: [...removals, removal]}));
	setTimeout(() => void commitRemoval(web, removal), undoMs);
}

/** Deletes the object. The row is dropped before the removal, so that it does not reappear until the event arrives. */
async function commitRemoval(web: Web, removal: Removal): Promise<void> {
	const {store, api} = web;
	if (!store.get().removals.includes(removal)) {
		return;
	}

	const isDone = await attempt(web, async () => api.delete(pathOf(removal)));
	// If the removal is no longer pending, its event has arrived.
	if (isDone && store.get().removals.includes(removal)) {
		const events = [expectedEvent(web, removal)];
		store.update(state => ({list: withMailEvents(state, events), inboxes: withInboxEvents(state.inboxes, events)}));
	}

	undoRemoval(web, removal);
}

function expectedEvent(web: Web, {kind, inboxId: inbox_id, id, count = 1}: Removal): EventBody {
	const current = findInbox(web, inbox_id)?.message_count ?? 0;
	const message_count = current < count ? current : current - count;
	return {
		message: {type: 'message.deleted', inbox_id, message_id: id, message_count} as const,
		inbox: {type: 'inbox.deleted', inbox_id} as const,
		mail: {type: 'messages.deleted', inbox_id, message_count} as const,
	}[kind];
}

function findInbox({store}: Web, id: string): InboxBody | undefined {
	return store.get().inboxes.all.find(inbox => inbox.id === id);
}

function pathOf({kind, inboxId, id, upTo = ''}: Removal): string {
	switch (kind) {
		case 'message':
			return path`/inboxes/${inboxId}/messages/${id}`;
		case 'inbox':
			return path`/inboxes/${inboxId}`;
		case 'mail':
			return path`/inboxes/${inboxId}/messages?up_to=${upTo}`;
	}
}
