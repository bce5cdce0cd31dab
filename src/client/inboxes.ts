import type {CreateInbox, InboxBody, InboxListBody, UpdateInbox} from '../contract/inboxes.js';
import type {Page} from './pages.js';
import {path} from './path.js';
import type {Request} from './request.js';

/** The inboxes of the API key's user and of the user's teams. */
export function inboxesClient({json}: Request) {
	const auth = 'key';
	return {
		create: (body: CreateInbox = {}) => json<InboxBody>({method: 'POST', path: path`/inboxes`, auth, body}),
		list: (page: Partial<Page> = {}) => json<InboxListBody>({method: 'GET', path: path`/inboxes`, auth, query: page}),
		get: (id: string) => json<InboxBody>({method: 'GET', path: path`/inboxes/${id}`, auth}),
		update: (id: string, body: UpdateInbox) =>
			json<InboxBody>({method: 'PATCH', path: path`/inboxes/${id}`, auth, body}),
		delete: (id: string) => json<undefined>({method: 'DELETE', path: path`/inboxes/${id}`, auth}),
	};
}
