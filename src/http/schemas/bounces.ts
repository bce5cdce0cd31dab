import {z} from 'zod';
import {defaultStatus, mailTargetPattern, statusPattern} from '../../contract/constants.js';
import {readUrl} from '../../lib/read-url.js';

/** Maximum number of recipients of one mail. */
const maxRecipients = 100;

export const statusField = z
	.string()
	.regex(statusPattern, 'must be a status such as 5.1.1 (failed), 4.4.1 (delayed) or 2.0.0 (delivered)');

const noServer = 'must be an SMTP URL such as smtp://localhost:2525';

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
		.regex(mailTargetPattern, {error: noServer, abort: true})
		.refine(text => readUrl(text) !== undefined, 'has an invalid host or port')
		.optional()
		.describe(
			'Server to send the reply to, such as `smtp://localhost:2525` (default: the inbox of the sender). `smtps://` uses TLS from the start.',
		),
};

export const createBounce = z
	.strictObject({
		...replyFields,
		status: statusField
			.default(defaultStatus)
			.describe(
				`Enhanced status code (RFC 3463): \`5.x.x\` failed, \`4.x.x\` delayed, \`2.x.x\` delivered. Default ${defaultStatus}.`,
			),
	})
	.meta({id: 'CreateBounce'});

export const createReply = z.strictObject(replyFields).meta({id: 'CreateReply'});
