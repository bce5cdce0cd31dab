import type {DoneBody} from '../contract/common.js';
import type {SendProvider} from '../contract/constants.js';
import type {PutTemplate, TemplateBody, TemplateListBody} from '../contract/templates.js';
import {type Caller, path} from './caller.js';

/** The templates that the API key's user registered for the mail that an app has a sending API make. */
export function templatesClient({json}: Caller) {
	const auth = 'key';
	return {
		put: (provider: SendProvider, id: string, body: PutTemplate) =>
			json<TemplateBody>({method: 'PUT', path: path`/templates/${provider}/${id}`, auth, body}),
		list: () => json<TemplateListBody>({method: 'GET', path: path`/templates`, auth}, {templates: [{}]}),
		get: (provider: SendProvider, id: string) =>
			json<TemplateBody>({method: 'GET', path: path`/templates/${provider}/${id}`, auth}),
		delete: (provider: SendProvider, id: string) =>
			json<DoneBody>({method: 'DELETE', path: path`/templates/${provider}/${id}`, auth}),
	};
}
