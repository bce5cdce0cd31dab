import {z} from 'zod';
import type {BounceBody} from '../../../contract/bounces.js';
import {bodySchema} from '../body-schema.js';

export const bounceSchema = bodySchema<BounceBody>()(
	'Bounce',
	z.object({
		kind: z.enum(['bounce', 'complaint', 'autoreply']).describe('Kind of the reply.'),
		sender: z.string().describe('Envelope sender of the mail, who receives the reply.'),
		recipients: z.array(z.string()).describe('Recipients of the mail that the reply is about.'),
		status: z
			.string()
			.nullable()
			.describe('Enhanced status code (RFC 3463) of a bounce; null for complaints and automatic replies.'),
		to: z.string().nullable().describe('Server that accepted the reply; null if it was delivered to an inbox.'),
		message_id: z
			.string()
			.nullable()
			.describe(
				'Message-ID header field of the reply without angle brackets; null for mail of a sending API, whose webhooks report it.',
			),
	}),
);
