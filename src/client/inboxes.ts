import type {CreateInbox, InboxBody, InboxListBody, ListInboxes, UpdateInbox} from '../contract/inboxes.js';
import {type Caller, path} from './caller.js';

/** The inboxes of the API key's user and of the user's teams. */
export function inboxesClient({json, done}: Caller) {
	const auth = 'key';
	return {
		create: (body: CreateInbox = {}) => json<InboxBody>({method: 'POST', path: path`/inboxes`, auth, body}),
		list: (query: ListInboxes = {}) =>
			json<InboxListBody>({method: 'GET', path: path`/inboxes`, auth, query}, {inboxes: [{}]}),
		get: (id: string) => json<InboxBody>({method: 'GET', path: path`/inboxes/${id}`, auth}),
		update: (id: string, body: UpdateInbox) =>
			json<InboxBody>({method: 'PATCH', path: path`/inboxes/${id}`, auth, body}),
		delete: (id: string) => done({method: 'DELETE', path: path`/inboxes/${id}`, auth}),
	};
}
