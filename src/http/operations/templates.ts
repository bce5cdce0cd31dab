import type {Operation} from '../operation.js';
import {doneSchema} from '../schemas/answers/daemon.js';
import {templateListSchema, templateSchema} from '../schemas/answers/templates.js';
import {putTemplate} from '../schemas/templates.js';

const single = '/templates/:provider/:templateId';

export const templateOperations = {
	list: {
		at: 'GET /templates',
		id: 'listTemplates',
		summary: 'List the templates that are registered',
		caller: 'key',
		command: 'tinbox templates list',
		answer: templateListSchema,
		ids: {provider: 'templates/0/provider', templateId: 'templates/0/id'},
	},
	put: {
		at: `PUT ${single}`,
		id: 'putTemplate',
		summary: 'Register a template, or replace it',
		description: 'At least one of its texts must be given, in the form of that provider.',
		caller: 'key',
		body: putTemplate,
		example: {subject: 'Hello', html: '<p>Welcome</p>'},
		command: 'tinbox templates put resend welcome --html welcome.html',
		answer: templateSchema,
		errors: ['limit_reached'],
		ids: {provider: 'provider', templateId: 'id'},
	},
	get: {
		at: `GET ${single}`,
		id: 'getTemplate',
		summary: 'Read a template',
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
