import {z} from 'zod';
import {sendProviders} from '../../../contract/send.js';
import type {TemplateBody, TemplateListBody, TemplateSummaryBody} from '../../../contract/templates.js';
import {bodySchema} from '../body-schema.js';
import {timeField} from './fields.js';

export const templateSchema = bodySchema<TemplateBody>()(
	'Template',
	z.object({
		provider: z.enum(sendProviders),
		id: z.string().describe('What the app names it by.'),
		subject: z.string().nullable(),
		text: z.string().nullable(),
		html: z.string().nullable(),
		fallback_values: z.record(z.string(), z.union([z.string(), z.number()])),
		created_at: timeField,
	}),
);

const templateSummarySchema = bodySchema<TemplateSummaryBody>()(
	'TemplateSummary',
	templateSchema
		.pick({provider: true, id: true, subject: true, created_at: true})
		.extend({parts: z.array(z.string()).describe('Which texts it has: `subject`, `text`, `html`.')}),
);

export const templateListSchema = bodySchema<TemplateListBody>()(
	'TemplateList',
	z.object({templates: z.array(templateSummarySchema)}),
);
