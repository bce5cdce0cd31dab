import {isPermanent, type MailEvent, shownSender} from './mail-event.js';

/** As Resend tells it: one body for all recipients. */
export function resendEvent(event: MailEvent): string {
	const {kind, message, request, recipients, reply, at} = event;
	const [bounceType, subType] = isPermanent(event) ? ['Permanent', 'General'] : ['Transient', 'General'];
	return JSON.stringify({
		type: `email.${kind}`,
		created_at: at.toISOString(),
		data: {
			created_at: message.receivedAt,
			email_id: request.id,
			message_id: `<${message.summary.messageId}>`,
			from: shownSender(message),
			to: recipients,
			subject: message.summary.subject,
			tags: Object.fromEntries(request.tags.map(({name, value}) => [name ?? value, value])),
			...(kind === 'bounced' && {bounce: {type: bounceType, subType, message: reply}}),
			...(kind === 'opened' && {open: {timestamp: at.toISOString()}}),
		},
	});
}
