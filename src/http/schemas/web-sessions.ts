import {z} from 'zod';

export const createWebSessionLink = z
	.strictObject({
		inbox_id: z.string().optional().describe('Id or address of the inbox to open.'),
		message_id: z.string().optional().describe('Id of the message to open, or `latest`. Requires `inbox_id`.'),
	})
	.refine(({inbox_id, message_id}) => message_id === undefined || inbox_id !== undefined, {
		path: ['inbox_id'],
		error: 'is required with "message_id"',
	})
	.meta({id: 'CreateWebSessionLink', dependentRequired: {message_id: ['inbox_id']}});

export const openWebSession = z.strictObject({link: z.string().optional()});
