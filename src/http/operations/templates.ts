import {doneSchema} from '../../contract/common.js';
import {putTemplateSchema, templateListSchema, templateSchema} from '../../contract/templates.js';
import type {Operation} from '../operation.js';

const single = '/templates/:provider/:templateId';

export const templateOperations = {
	list: {
		at: 'GET /templates',
		id: 'listTemplates',
		summary: 'List templates',
		description: 'The content of the templates is left out.',
		caller: 'key',
		command: 'tinbox templates list',
		answer: templateListSchema,
		ids: {provider: 'templates/0/provider', templateId: 'templates/0/id'},
	},
	put: {
		at: `PUT ${single}`,
		id: 'putTemplate',
		summary: 'Create or replace a template',
		description: 'At least one of `subject`, `text` and `html` is required. Use the template syntax of the provider.',
		caller: 'key',
		body: putTemplateSchema,
		example: {subject: 'Hello', html: '<p>Welcome</p>'},
		command: 'tinbox templates put resend welcome --html welcome.html',
		answer: templateSchema,
		errors: ['limit_reached'],
		ids: {provider: 'provider', templateId: 'id'},
	},
	get: {
		at: `GET ${single}`,
		id: 'getTemplate',
		summary: 'Get a template',
		caller: 'key',
		answer: templateSchema,
	},
	delete: {
		at: `DELETE ${single}`,
		id: 'deleteTemplate',
		summary: 'Delete a template',
		caller: 'key',
		command: 'tinbox templates delete resend welcome',
		answer: doneSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;
