import {z} from 'zod';
import {defaultStatus, mailTargetPattern, statusPattern} from '../../contract/bounces.js';
import {readUrl} from '../../lib/read-url.js';

/** As many as one mail has. */
const maxRecipients = 100;

export const statusField = z
	.string()
	.regex(statusPattern, 'must be a status such as 5.1.1 (failed), 4.4.1 (delayed) or 2.0.0 (delivered)');

const noServer = 'must be a server such as smtp://localhost:2525';

const replyFields = {
	recipients: z
		.array(z.string().max(1000, 'must be at most 1000 characters long'))
		.min(1, 'must name somebody, or be left out')
		.max(maxRecipients, `must name at most ${maxRecipients}`)
		.readonly()
		.optional(),
	to: z
		.string()
		.regex(mailTargetPattern, {error: noServer, abort: true})
		.refine(text => readUrl(text) !== undefined, 'names a host or a port that cannot be')
		.optional(),
};

export const createBounce = z
	.strictObject({...replyFields, status: statusField.default(defaultStatus)})
	.meta({id: 'CreateBounce'});

export const createReply = z.strictObject(replyFields).meta({id: 'CreateReply'});
