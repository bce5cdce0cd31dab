import {z} from 'zod';
import {type Body, type Input, nullableText, requestObject, responseObject, timeField} from './common.js';
import {sendProviders} from './constants.js';

/** Maximum length of a text or HTML template, as in Amazon SES. */
const maxLength = 500 * 1024;

const contentField = z.string().max(maxLength, `must be at most ${maxLength} characters long`);

/** Body of `PUT /v1/templates/{provider}/{id}`: at least one part, in the template syntax of the provider. */
export const putTemplateSchema = requestObject('PutTemplate', {
	subject: z.string().max(2000, 'must be at most 2000 characters long').optional().describe('Template of the subject.'),
	text: contentField.optional().describe('Template of the plain text.'),
	html: contentField.optional().describe('Template of the HTML.'),
	fallback_values: z
		.record(
			z.string().regex(/^\w{1,50}$/, 'must have a name of at most 50 letters, digits and "_"'),
			z.union(
				[z.string().max(2000, 'must be at most 2000 characters long'), z.number()],
				'must be a string or a number',
			),
		)
		.refine(values => Object.keys(values).length <= 50, 'must have at most 50 values')
		.optional()
		.describe('Values of variables that a mail gives no value for, by name. Only for `resend`.'),
});

export type PutTemplate = Input<typeof putTemplateSchema>;

/** Template with its content. */
export const templateSchema = responseObject('Template', {
	provider: z.enum(sendProviders).describe('Provider whose API uses the template.'),
	id: z.string().describe('Id or name that the app uses for the template.'),
	subject: nullableText.describe('Template of the subject; null for none.'),
	text: nullableText.describe('Template of the plain text; null for none.'),
	html: nullableText.describe('Template of the HTML; null for none.'),
	fallback_values: z
		.record(z.string(), z.union([z.string(), z.number()]))
		.describe('Values of variables that a mail gives no value for, by name. Only used by `resend`.'),
	created_at: timeField.describe('Time when the template was created.'),
});

export type TemplateBody = Body<typeof templateSchema>;

/** Template in a list, without its content. */
const templateSummarySchema = templateSchema
	.pick({provider: true, id: true, subject: true, created_at: true})
	.extend({parts: z.array(z.string()).describe('Parts that the template has: `subject`, `text`, `html`.')})
	.meta({id: 'TemplateSummary'});

export type TemplateSummaryBody = Body<typeof templateSummarySchema>;

export const templateListSchema = responseObject('TemplateList', {
	templates: z.array(templateSummarySchema).describe('Templates without their content.'),
});

export type TemplateListBody = Body<typeof templateListSchema>;
