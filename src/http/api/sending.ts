import {doneSchema} from '../../contract/common.js';
import {sentMailSchema} from '../../contract/send.js';
import {putTemplateSchema, type TemplateBody, templateListSchema, templateSchema} from '../../contract/templates.js';
import {sendMailSchema} from '../../send/tinbox.js';
import type {RegisteredTemplate} from '../../services/sending/templates.js';
import type {Services} from '../services.js';
import type {Operation} from './operation.js';
import type {Routes} from './routing.js';

/** Operation of the sending API of tinbox, which `http/send/provider-routes.ts` serves. */
export const sendingOperations = {
	send: {
		route: 'POST /send',
		id: 'sendMail',
		summary: 'Send a mail',
		description:
			'The mail is delivered to the inboxes of its recipients, as over SMTP. With the `send_key` of an inbox it is delivered to that inbox. A repeated request with the same `Idempotency-Key` gets the same response and sends nothing.',
		caller: 'sender',
		headers: {'Idempotency-Key': 'Unique value that identifies the mail across retries; valid for 24 hours.'},
		body: sendMailSchema,
		example: {from: 'app@example.com', to: 'ann@example.com', subject: 'Hello', text: 'Hi Ann'},
		status: 201,
		response: sentMailSchema,
		errors: ['forbidden', 'key_reused', 'in_progress', 'rate_limited'],
		responseIds: {messageId: 'message_ids/0'},
	},
} as const satisfies Readonly<Record<string, Operation>>;

const single = '/templates/:provider/:templateId';

export const templateOperations = {
	list: {
		route: 'GET /templates',
		id: 'listTemplates',
		summary: 'List templates',
		description: 'The content of the templates is left out.',
		command: 'tinbox templates list',
		response: templateListSchema,
		responseIds: {provider: 'templates/0/provider', templateId: 'templates/0/id'},
	},
	put: {
		route: `PUT ${single}`,
		id: 'putTemplate',
		summary: 'Create or replace a template',
		description: 'At least one of `subject`, `text` and `html` is required. Use the template syntax of the provider.',
		body: putTemplateSchema,
		example: {subject: 'Hello', html: '<p>Welcome</p>'},
		command: 'tinbox templates put resend welcome --html welcome.html',
		response: templateSchema,
		errors: ['limit_reached'],
		responseIds: {provider: 'provider', templateId: 'id'},
	},
	get: {
		route: `GET ${single}`,
		id: 'getTemplate',
		summary: 'Get a template',
		response: templateSchema,
	},
	delete: {
		route: `DELETE ${single}`,
		id: 'deleteTemplate',
		summary: 'Delete a template',
		command: 'tinbox templates delete resend welcome',
		response: doneSchema,
	},
} as const satisfies Readonly<Record<string, Operation>>;

export function addTemplateRoutes(routes: Routes, {templates}: Services): void {
	routes.addList(templateOperations.list, async ({user}) => templates.list(user), {
		bodyOf: async ({provider, id, texts, createdAt}) => {
			return {provider, id, subject: texts.subject ?? null, created_at: createdAt, parts: Object.keys(texts)};
		},
		wrap: list => ({templates: list}),
	});

	routes.add(templateOperations.put, async ({user, params, body}) => {
		const {fallback_values: fallbackValues = {}, ...texts} = body;
		return templateBody(await templates.put(user, params.provider, params.templateId, {texts, fallbackValues}));
	});

	routes.add(templateOperations.get, async ({user, params}) => {
		return templateBody(await templates.get(user, params.provider, params.templateId));
	});

	routes.add(templateOperations.delete, async ({user, params}) => {
		await templates.delete(user, params.provider, params.templateId);
		return {message: 'The template was deleted.'};
	});
}

function templateBody(template: RegisteredTemplate): TemplateBody {
	const {provider, id, texts, fallbackValues, createdAt} = template;
	const {subject = null, text = null, html = null} = texts;
	return {provider, id, subject, text, html, fallback_values: fallbackValues, created_at: createdAt};
}
