import {type FoundMail, SendError, type ShowRoute} from '../provider.js';
import {resendError} from './errors.js';

/** `GET /emails/:id`. */
export const showResendEmail: ShowRoute = {
	path: '/emails/:id',
	idOf({params: {id = ''}}) {
		if (!/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)) {
			throw new SendError(resendError(422, 'invalid_parameter', 'The `id` must be a valid UUID.'));
		}

		return id.toLowerCase();
	},
	show: mail => ({status: 200, body: emailBody(mail)}),
};

function emailBody({id, messageId, createdAt, from, to, cc, bcc, replyTo, subject, html, text, tags}: FoundMail) {
	return {
		object: 'email',
		id,
		message_id: messageId,
		to,
		from,
		created_at: createdAt,
		subject,
		html,
		text,
		bcc,
		cc,
		reply_to: replyTo,
		last_event: 'delivered',
		scheduled_at: null,
		tags,
	};
}
