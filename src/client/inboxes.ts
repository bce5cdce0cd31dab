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
import {ApiError} from './errors.js';
import {takeRows} from './pages.js';

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

type InboxesClient = Pick<ReturnType<typeof inboxesClient>, 'get' | 'list'>;

/** Finds the inbox with an id or address (in any spelling), or else all inboxes with exactly this name. */
export async function findInboxes(inboxes: InboxesClient, text: string): Promise<readonly InboxBody[]> {
	const inbox = await inboxes.get(text).catch(ignoreNotFound);
	return inbox
		? [inbox]
		: takeRows(async page => (await inboxes.list({...page, name: text})).inboxes, Number.POSITIVE_INFINITY);
}

function ignoreNotFound(error: unknown): undefined {
	if (!(error instanceof ApiError && error.status === 404)) {
		throw error;
	}
}
