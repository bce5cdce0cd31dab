import {z} from 'zod';
import {sendProviders} from '../../../contract/constants.js';
import type {TemplateBody, TemplateListBody, TemplateSummaryBody} from '../../../contract/templates.js';
import {bodySchema} from '../body-schema.js';
import {timeField} from './fields.js';

export const templateSchema = bodySchema<TemplateBody>()(
	'Template',
	z.object({
		provider: z.enum(sendProviders).describe('Provider whose API uses the template.'),
		id: z.string().describe('Id or name that the app uses for the template.'),
		subject: z.string().nullable().describe('Template of the subject; null for none.'),
		text: z.string().nullable().describe('Template of the plain text; null for none.'),
		html: z.string().nullable().describe('Template of the HTML; null for none.'),
		fallback_values: z
			.record(z.string(), z.union([z.string(), z.number()]))
			.describe('Values of variables that a mail gives no value for, by name. Only used by `resend`.'),
		created_at: timeField.describe('Time when the template was created.'),
	}),
);

const templateSummarySchema = bodySchema<TemplateSummaryBody>()(
	'TemplateSummary',
	templateSchema
		.pick({provider: true, id: true, subject: true, created_at: true})
		.extend({parts: z.array(z.string()).describe('Parts that the template has: `subject`, `text`, `html`.')}),
);

export const templateListSchema = bodySchema<TemplateListBody>()(
	'TemplateList',
	z.object({templates: z.array(templateSummarySchema).describe('Templates without their content.')}),
);
