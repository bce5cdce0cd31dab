import type {
	CreatedInboxBody,
	CreateInbox,
	CredentialsBody,
	InboxBody,
	InboxListBody,
	ListInboxes,
	UpdateInbox,
} from '../contract/inboxes.js';
import {type Caller, path} from './caller.js';

/** Inboxes of the user of the API key and of the user's teams. */
export function inboxesClient({json, done}: Caller) {
	const auth = 'key';
	return {
		create: (body: CreateInbox = {}) => json<CreatedInboxBody>({method: 'POST', path: path`/inboxes`, auth, body}),
		list: (query: ListInboxes = {}) =>
			json<InboxListBody>({method: 'GET', path: path`/inboxes`, auth, query}, {inboxes: [{}]}),
		get: (id: string) => json<InboxBody>({method: 'GET', path: path`/inboxes/${id}`, auth}),
		update: (id: string, body: UpdateInbox) =>
			json<InboxBody>({method: 'PATCH', path: path`/inboxes/${id}`, auth, body}),
		credentials: (id: string) => json<CredentialsBody>({method: 'GET', path: path`/inboxes/${id}/credentials`, auth}),
		/** Generates a new password and invalidates the old one. */
		rotateCredentials: (id: string) =>
			json<CredentialsBody>({method: 'POST', path: path`/inboxes/${id}/credentials/rotate`, auth}),
		delete: (id: string) => done({method: 'DELETE', path: path`/inboxes/${id}`, auth}),
	};
}
