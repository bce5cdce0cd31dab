import {z} from 'zod';

/** As SES bounds a template. */
const maxLength = 500 * 1024;

const body = z.string().max(maxLength, `must be at most ${maxLength} characters long`);

export const putTemplate = z
	.strictObject({
		subject: z.string().max(2000, 'must be at most 2000 characters long').optional(),
		text: body.optional(),
		html: body.optional(),
		fallback_values: z
			.record(
				z.string().regex(/^\w{1,50}$/, 'must be named by letters, digits and "_", 50 at most'),
				z.union(
					[z.string().max(2000, 'must be at most 2000 characters long'), z.number()],
					'must be a string or a number',
				),
			)
			.refine(values => Object.keys(values).length <= 50, 'must be at most 50')
			.optional(),
	})
	.meta({id: 'PutTemplate'});
