import type {DoneBody} from '../contract/common.js';
import type {CreateWebSessionLink, WebSessionLinkBody, WebSessionListBody} from '../contract/keys.js';
import {type Caller, path} from './caller.js';

/** The browsers that are logged in to the web app. */
export function webSessionsClient({json}: Caller) {
	return {
		createLink: (body: CreateWebSessionLink = {}) =>
			json<WebSessionLinkBody>({method: 'POST', path: path`/web-sessions/links`, auth: 'key', body}),
		list: () =>
			json<WebSessionListBody>({method: 'GET', path: path`/web-sessions`, auth: 'either'}, {web_sessions: [{}]}),
		end: (id: string) => json<DoneBody>({method: 'DELETE', path: path`/web-sessions/${id}`, auth: 'either'}),
	};
}
