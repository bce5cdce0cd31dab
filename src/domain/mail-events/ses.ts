import {isPermanent, type MailEvent, openedBy, shownRecipients, shownSender} from './mail-event.js';

/** An account that nobody has. */
const account = '000000000000';

/** As SES tells it through SNS: a notification whose message is the event as JSON. Nobody but SNS can sign it. */
export function sesEvent(event: MailEvent): string {
	return JSON.stringify({
		Type: 'Notification',
		MessageId: event.id,
		TopicArn: `arn:aws:sns:us-east-1:${account}:tinbox`,
		Subject: 'Amazon SES Email Event Notification',
		Message: JSON.stringify({...details(event), mail: mailOf(event)}),
		Timestamp: event.at.toISOString(),
	});
}

function mailOf({message, request}: MailEvent): object {
	const {summary, envelope, receivedAt} = message;
	const [from, to] = [shownSender(message), shownRecipients(message)];
	const headers = {From: from, To: to.join(', '), Subject: summary.subject, 'Message-ID': `<${summary.messageId}>`};
	return {
		timestamp: receivedAt,
		source: envelope.from,
		sourceArn: `arn:aws:ses:us-east-1:${account}:identity/${envelope.from}`,
		sendingAccountId: account,
		messageId: request.id,
		destination: envelope.to,
		headersTruncated: false,
		headers: Object.entries(headers).map(([name, value]) => ({name, value})),
		commonHeaders: {from: [from], to, messageId: request.id, subject: summary.subject},
		tags: Object.fromEntries(request.tags.map(({name, value}) => [name ?? value, [value]])),
	};
}

function details(event: MailEvent): object {
	const {kind, recipients, status, reply, id, at} = event;
	const timestamp = at.toISOString();
	switch (kind) {
		case 'delivered':
			return {
				...named('Delivery'),
				delivery: {
					timestamp,
					processingTimeMillis: 1,
					recipients,
					smtpResponse: '250 OK',
					reportingMTA: 'tinbox',
				},
			};
		case 'bounced':
			return {
				...named('Bounce'),
				bounce: {
					bounceType: isPermanent(event) ? 'Permanent' : 'Transient',
					bounceSubType: 'General',
					bouncedRecipients: recipients.map(emailAddress => ({
						emailAddress,
						action: isPermanent(event) ? 'failed' : 'delayed',
						status,
						diagnosticCode: `smtp; ${reply}`,
					})),
					timestamp,
					feedbackId: id,
					reportingMTA: 'dsn; tinbox',
				},
			};
		case 'complained':
			return {
				...named('Complaint'),
				complaint: {
					complainedRecipients: recipients.map(emailAddress => ({emailAddress})),
					timestamp,
					feedbackId: id,
					userAgent: 'tinbox',
					complaintFeedbackType: 'abuse',
					arrivalDate: timestamp,
				},
			};
		case 'opened':
			return {...named('Open'), open: {ipAddress: openedBy.ip, timestamp, userAgent: openedBy.userAgent}};
	}
}

/** By the names of both ways in which SES tells of events. */
function named(type: string): object {
	return {eventType: type, notificationType: type};
}
