import {z} from 'zod';

/** Maximum size of a template of Amazon SES. */
const maxLength = 500 * 1024;

const body = z.string().max(maxLength, `must be at most ${maxLength} characters long`);

export const putTemplate = z
	.strictObject({
		subject: z
			.string()
			.max(2000, 'must be at most 2000 characters long')
			.optional()
			.describe('Template of the subject.'),
		text: body.optional().describe('Template of the plain text.'),
		html: body.optional().describe('Template of the HTML.'),
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
	})
	.meta({id: 'PutTemplate'});
