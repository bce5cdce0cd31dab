import {z} from 'zod';
import type {BounceBody} from '../../../contract/bounces.js';
import {bodySchema} from '../body-schema.js';

export const bounceSchema = bodySchema<BounceBody>()(
	'Bounce',
	z.object({
		kind: z.enum(['bounce', 'complaint', 'autoreply']),
		sender: z.string().describe('The envelope sender of the mail, to whom it went.'),
		recipients: z.array(z.string()),
		status: z.string().nullable().describe('Null when it is no bounce.'),
		to: z.string().nullable().describe('The server that took it; null when an inbox here has it.'),
		message_id: z.string().nullable().describe('Null when the mail came by a sending API.'),
	}),
);
