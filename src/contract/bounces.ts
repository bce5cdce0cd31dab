import {z} from 'zod';
import {readUrl} from '../lib/text/url.js';
import {type Body, type Input, nullableText, requestObject, responseObject} from './common.js';
import {bounceKinds, defaultStatus, mailTargetPattern, statusPattern} from './constants.js';

/** Maximum number of recipients of one mail. */
const maxRecipients = 100;

/** Enhanced status code of a bounce (RFC 3463). */
export const statusField = z
	.string()
	.regex(statusPattern, 'must be a status such as 5.1.1 (failed), 4.4.1 (delayed) or 2.0.0 (delivered)');

const replyFields = {
	recipients: z
		.array(z.string().max(1000, 'must be at most 1000 characters long'))
		.min(1, 'must have at least one recipient, or be left out')
		.max(maxRecipients, `must have at most ${maxRecipients} recipients`)
		.readonly()
		.optional()
		.describe(
			'Envelope recipients of the mail that the reply is about (default: the recipient that was delivered to the inbox). At most 100.',
		),
	to: z
		.string()
		.regex(mailTargetPattern, {error: 'must be an SMTP URL such as smtp://localhost:2525', abort: true})
		.refine(text => readUrl(text) !== undefined, 'has an invalid host or port')
		.optional()
		.describe(
			'Server to send the reply to, such as `smtp://localhost:2525` (default: the inbox of the sender). `smtps://` uses TLS from the start.',
		),
};

/** Bounce of a message to send. */
export const createBounceSchema = requestObject('CreateBounce', {
	...replyFields,
	status: statusField
		.default(defaultStatus)
		.describe(
			`Enhanced status code (RFC 3463): \`5.x.x\` failed, \`4.x.x\` delayed, \`2.x.x\` delivered. Default ${defaultStatus}.`,
		),
});

export type CreateBounce = Input<typeof createBounceSchema>;

/** Complaint about a message, or automatic reply to it, to send. */
export const createReplySchema = requestObject('CreateReply', replyFields);

export type CreateReply = Input<typeof createReplySchema>;

/** Bounce, complaint or automatic reply that was sent. */
export const bounceSchema = responseObject('Bounce', {
	kind: z.enum(bounceKinds).describe('Kind of the reply.'),
	sender: z.string().describe('Envelope sender of the mail, who receives the reply.'),
	recipients: z.array(z.string()).describe('Recipients of the mail that the reply is about.'),
	status: nullableText.describe(
		'Enhanced status code (RFC 3463) of a bounce; null for complaints and automatic replies.',
	),
	to: nullableText.describe('Server that accepted the reply; null if it was delivered to an inbox.'),
	message_id: nullableText.describe(
		'Message-ID header field of the reply without angle brackets; null for mail of a sending API, whose webhooks report it.',
	),
});

export type BounceBody = Body<typeof bounceSchema>;
