import {createHmac} from 'node:crypto';
import {isPermanent, type MailEvent, openedBy, seconds, shownRecipients, shownSender, tagValues} from './mail-event.js';

/** As Mailgun tells it: a body for each recipient, which holds its signature. `secret` is the signing key. */
export function mailgunEvents(event: MailEvent, secret: string): readonly string[] {
	return event.recipients.map((recipient, index) => {
		const timestamp = String(seconds(event.at));
		const token = createHmac('sha256', event.id).update(String(index)).digest('hex').slice(0, 50);
		const signature = createHmac('sha256', secret)
			.update(timestamp + token)
			.digest('hex');
		return JSON.stringify({signature: {timestamp, token, signature}, 'event-data': dataOf(event, recipient, index)});
	});
}

function dataOf(event: MailEvent, recipient: string, index: number): object {
	const {message, request, at, id} = event;
	const {summary, envelope} = message;
	return {
		id: `${id}-${index}`,
		timestamp: at.getTime() / 1000,
		...details(event),
		recipient,
		'recipient-domain': recipient.slice(recipient.lastIndexOf('@') + 1),
		tags: tagValues(request),
		campaigns: [],
		'user-variables': request.metadata,
		flags: {'is-routed': false, 'is-authenticated': true, 'is-system-test': false, 'is-test-mode': false},
		envelope: {sender: envelope.from, targets: recipient, transport: 'smtp'},
		message: {
			headers: {
				to: shownRecipients(message).join(', '),
				'message-id': summary.messageId,
				from: shownSender(message),
				subject: summary.subject,
			},
			attachments: [],
			size: message.size,
		},
	};
}

function details(event: MailEvent): object {
	const {kind, status, reply} = event;
	switch (kind) {
		case 'delivered':
			return {
				event: 'delivered',
				'log-level': 'info',
				'delivery-status': {code: 250, message: 'OK', description: '', 'attempt-no': 1},
			};
		case 'bounced':
			return {
				event: 'failed',
				'log-level': isPermanent(event) ? 'error' : 'warn',
				severity: isPermanent(event) ? 'permanent' : 'temporary',
				reason: isPermanent(event) ? 'bounce' : 'generic',
				'delivery-status': {
					code: Number(reply.slice(0, 3)) || 550,
					'enhanced-code': status,
					message: reply,
					description: '',
					'attempt-no': 1,
					'bounce-type': isPermanent(event) ? 'hard' : 'soft',
				},
			};
		case 'complained':
			return {event: 'complained', 'log-level': 'warn'};
		case 'opened':
			return {
				event: 'opened',
				'log-level': 'info',
				ip: openedBy.ip,
				geolocation: {country: 'Unknown', region: 'Unknown', city: 'Unknown'},
				'client-info': {
					'client-name': 'tinbox',
					'client-os': 'unknown',
					'client-type': 'mobile browser',
					'device-type': 'desktop',
					'user-agent': openedBy.userAgent,
				},
			};
	}
}
