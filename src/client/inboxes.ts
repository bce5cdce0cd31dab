import type {
	CreatedInboxBody,
	CreateInbox,
	CredentialsBody,
	InboxBody,
	InboxListBody,
	ListInboxes,
	UpdateInbox,
} from '../contract/inboxes.js';
import {type Caller, jsonRequests, path} from './caller.js';
import {ignoreNotFound} from './errors.js';
import {takeRows} from './pages.js';

/** Inboxes of the user of the API key and of the user's teams. */
export function inboxesClient(caller: Caller) {
	const {get, post, patch} = jsonRequests(caller, 'key');
	return {
		create: (body: CreateInbox = {}) => post<CreatedInboxBody>(path`/inboxes`, {body}),
		list: (query: ListInboxes = {}) => get<InboxListBody>(path`/inboxes`, {query, shape: {inboxes: [{}]}}),
		get: (id: string) => get<InboxBody>(path`/inboxes/${id}`),
		update: (id: string, body: UpdateInbox) => patch<InboxBody>(path`/inboxes/${id}`, {body}),
		credentials: (id: string) => get<CredentialsBody>(path`/inboxes/${id}/credentials`),
		/** Generates a new password and invalidates the old one. */
		rotateCredentials: (id: string) => post<CredentialsBody>(path`/inboxes/${id}/credentials/rotate`),
		delete: (id: string) => caller.done({method: 'DELETE', path: path`/inboxes/${id}`, auth: 'key'}),
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
