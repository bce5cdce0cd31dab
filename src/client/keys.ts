import type {DoneBody} from '../contract/done.js';
import type {CreatedKeyBody, CreateKey, KeyListBody} from '../contract/keys.js';
import {path} from './path.js';
import type {Request} from './request.js';

/** The API keys of the user whom the token names. */
export function keysClient({json}: Request) {
	const auth = 'token';
	return {
		create: (body: CreateKey = {}) => json<CreatedKeyBody>({method: 'POST', path: path`/inboxes/keys`, auth, body}),
		list: () => json<KeyListBody>({method: 'GET', path: path`/inboxes/keys`, auth}),
		revoke: (id: string) => json<DoneBody>({method: 'DELETE', path: path`/inboxes/keys/${id}`, auth}),
	};
}
