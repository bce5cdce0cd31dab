import {isPermanent, type MailEvent, openedBy, seconds, tagValues} from './mail-event.js';

/** As SendGrid tells it: a list with an event for each recipient. */
export function sendgridEvent(event: MailEvent): string {
	const {message, request, recipients, id, at} = event;
	const category = tagValues(request);
	return JSON.stringify(
		recipients.map((email, index) => ({
			...request.metadata,
			email,
			timestamp: seconds(at),
			'smtp-id': `<${message.summary.messageId}>`,
			sg_event_id: Buffer.from(`${id}-${index}`).toString('base64url'),
			sg_message_id: `${request.id}.recvd-tinbox-${index}`,
			...(category.length > 0 && {category}),
			...details(event),
		})),
	);
}

function details(event: MailEvent): object {
	const {kind, status, reply} = event;
	switch (kind) {
		case 'delivered':
			return {event: 'delivered', response: '250 OK', ip: openedBy.ip, tls: 1};
		case 'bounced':
			return isPermanent(event)
				? {event: 'bounce', type: 'bounce', status, reason: reply, bounce_classification: 'Invalid Address', tls: 1}
				: {event: 'deferred', response: reply, attempt: '1', tls: 1};
		case 'complained':
			return {event: 'spamreport'};
		case 'opened':
			return {
				event: 'open',
				ip: openedBy.ip,
				useragent: openedBy.userAgent,
				sg_machine_open: false,
				sg_content_type: 'html',
			};
	}
}
