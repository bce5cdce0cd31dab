import {createHmac, randomUUID} from 'node:crypto';
import type {MailEventKind, MailFormat} from '../../contract/constants.js';
import type {SendRequestBody} from '../../contract/messages.js';
import {type Message, readMailbox} from '../mail/message.js';

/** Outcome of a mail that was sent through a sending API, for these recipients. */
export type MailEvent = {
	readonly kind: MailEventKind;
	readonly message: Message;
	readonly request: SendRequestBody;
	readonly recipients: readonly string[];
	/** Enhanced status code of a bounce (RFC 3463). */
	readonly status: string;
	/** Reply of the simulated remote server. */
	readonly reply: string;
	/** Id of the event. */
	readonly id: string;
	readonly at: Date;
};

/** Returns the sender as displayed in the mail. */
function shownSender({summary: {from, fromName}, envelope}: Message): string {
	const address = from || envelope.from;
	return fromName === undefined ? address : `${fromName} <${address}>`;
}

/** Returns the recipient addresses in the header. */
function shownRecipients({summary: {to}}: Message): readonly string[] {
	return to.map(mailbox => readMailbox(mailbox).address);
}

function tagValues({tags}: SendRequestBody): readonly string[] {
	return tags.map(({value}) => value);
}

/** True for a permanent failure. */
function isPermanent({status}: Pick<MailEvent, 'status'>): boolean {
	return status.startsWith('5');
}

function seconds(time: Date): number {
	return Math.floor(time.getTime() / 1000);
}

/** Client of a simulated open event. */
const openedBy = {ip: '127.0.0.1', userAgent: 'Mozilla/5.0 (tinbox)'} as const;

/** Maximum number of recipients of one mail that get an event each. */
const maxRecipients = 50;

/** Returns the request bodies for an event in the format of a provider. `secret` belongs to the endpoint. */
export function mailEventBodies(format: MailFormat, event: MailEvent, secret: string): readonly string[] {
	const bounded = {...event, recipients: event.recipients.slice(0, maxRecipients)};
	switch (format) {
		case 'resend':
			return [resendEvent(event)];
		case 'sendgrid':
			return [sendgridEvent(event)];
		case 'ses':
			return [sesEvent(event)];
		case 'postmark':
			return postmarkEvents(bounded);
		case 'mailgun':
			return mailgunEvents(bounded, secret);
	}
}

/** Returns the body of a test delivery in the format of a provider, with invented ids. */
export function sampleEventBody(format: MailFormat, secret: string, at: Date): string {
	const [from, to] = ['sender@example.com', 'inbox@tinbox.test'];
	const request = {
		provider: format,
		path: '',
		id: 'test-message',
		tags: [],
		metadata: {},
		template: null,
		warnings: [],
	};
	const message = {
		id: 'test-message',
		inboxId: 'test-inbox',
		sourceId: '',
		size: 0,
		envelope: {from, to: [to]},
		session: null,
		to,
		receivedAt: at.toISOString(),
		summary: {
			from,
			to: [to],
			cc: [],
			replyTo: [],
			subject: 'A test delivery from tinbox',
			messageId: 'test-message@tinbox.test',
		},
	};
	const what = {kind: 'delivered', recipients: [to], status: '2.0.0', reply: '250 OK'} as const;
	const [body = ''] = mailEventBodies(format, {...what, message, request, id: randomUUID(), at}, secret);
	return body;
}

/** Format of Resend: one body for all recipients. */
function resendEvent(event: MailEvent): string {
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

/** Format of Postmark: one body per recipient. */
function postmarkEvents(event: MailEvent): readonly string[] {
	return event.recipients.map((recipient, index) => JSON.stringify(postmarkRecord(event, recipient, index)));
}

function postmarkRecord(event: MailEvent, recipient: string, index: number): object {
	const {kind, message, request, reply, at} = event;
	const common = {
		MessageStream: 'outbound',
		ServerID: 1,
		MessageID: request.id,
		Tag: tagValues(request)[0] ?? '',
		Metadata: request.metadata,
	};
	const time = at.toISOString();
	switch (kind) {
		case 'delivered':
			return {RecordType: 'Delivery', ...common, Recipient: recipient, DeliveredAt: time, Details: '250 OK'};
		case 'opened':
			return {
				RecordType: 'Open',
				...common,
				Recipient: recipient,
				FirstOpen: true,
				ReceivedAt: time,
				Platform: 'Unknown',
				UserAgent: openedBy.userAgent,
				Client: {Name: 'tinbox', Company: 'tinbox', Family: 'tinbox'},
				OS: {Name: 'Unknown', Company: 'Unknown', Family: 'Unknown'},
				Geo: {},
			};
		default:
			return {
				...(kind === 'complained' ? complaint : isPermanent(event) ? hardBounce : softBounce),
				...common,
				ID: at.getTime() + index,
				Details: kind === 'complained' ? '' : reply,
				Email: recipient,
				From: message.summary.from || shownSender(message),
				BouncedAt: time,
				DumpAvailable: false,
				Inactive: kind === 'complained' || isPermanent(event),
				CanActivate: kind !== 'complained',
				Subject: message.summary.subject,
			};
	}
}

const hardBounce = {
	RecordType: 'Bounce',
	Type: 'HardBounce',
	TypeCode: 1,
	Name: 'Hard bounce',
	Description: 'The server was unable to deliver your message (ex: unknown user, mailbox not found).',
};

const softBounce = {
	RecordType: 'Bounce',
	Type: 'SoftBounce',
	TypeCode: 4096,
	Name: 'Soft bounce',
	Description:
		'Unable to temporarily deliver message (i.e. mailbox full, account disabled, exceeds quota, out of disk space).',
};

const complaint = {
	RecordType: 'SpamComplaint',
	Type: 'SpamComplaint',
	TypeCode: 100_001,
	Name: 'Spam complaint',
	Description: 'The subscriber explicitly marked this message as spam.',
};

/** Format of SendGrid: a list with one event per recipient. */
function sendgridEvent(event: MailEvent): string {
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
			...sendgridDetails(event),
		})),
	);
}

function sendgridDetails(event: MailEvent): object {
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

/** Format of Mailgun: one signed body per recipient. `secret` is the signing key. */
function mailgunEvents(event: MailEvent, secret: string): readonly string[] {
	return event.recipients.map((recipient, index) => {
		const timestamp = String(seconds(event.at));
		const token = createHmac('sha256', event.id).update(String(index)).digest('hex').slice(0, 50);
		const signature = createHmac('sha256', secret)
			.update(timestamp + token)
			.digest('hex');
		return JSON.stringify({
			signature: {timestamp, token, signature},
			'event-data': mailgunEventData(event, recipient, index),
		});
	});
}

function mailgunEventData(event: MailEvent, recipient: string, index: number): object {
	const {message, request, at, id} = event;
	const {summary, envelope} = message;
	return {
		id: `${id}-${index}`,
		timestamp: at.getTime() / 1000,
		...mailgunDetails(event),
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

function mailgunDetails(event: MailEvent): object {
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

/** Account id that does not exist. */
const sesAccount = '000000000000';

/** Format of SES through SNS: a notification that holds the event as JSON. It has no signature, because only SNS can sign it. */
function sesEvent(event: MailEvent): string {
	return JSON.stringify({
		Type: 'Notification',
		MessageId: event.id,
		TopicArn: `arn:aws:sns:us-east-1:${sesAccount}:tinbox`,
		Subject: 'Amazon SES Email Event Notification',
		Message: JSON.stringify({...sesDetails(event), mail: sesMail(event)}),
		Timestamp: event.at.toISOString(),
	});
}

function sesMail({message, request}: MailEvent): object {
	const {summary, envelope, receivedAt} = message;
	const [from, to] = [shownSender(message), shownRecipients(message)];
	const headers = {From: from, To: to.join(', '), Subject: summary.subject, 'Message-ID': `<${summary.messageId}>`};
	return {
		timestamp: receivedAt,
		source: envelope.from,
		sourceArn: `arn:aws:ses:us-east-1:${sesAccount}:identity/${envelope.from}`,
		sendingAccountId: sesAccount,
		messageId: request.id,
		destination: envelope.to,
		headersTruncated: false,
		headers: Object.entries(headers).map(([name, value]) => ({name, value})),
		commonHeaders: {from: [from], to, messageId: request.id, subject: summary.subject},
		tags: Object.fromEntries(request.tags.map(({name, value}) => [name ?? value, [value]])),
	};
}

function sesDetails(event: MailEvent): object {
	const {kind, recipients, status, reply, id, at} = event;
	const timestamp = at.toISOString();
	switch (kind) {
		case 'delivered':
			return {
				...sesEventType('Delivery'),
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
				...sesEventType('Bounce'),
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
				...sesEventType('Complaint'),
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
			return {...sesEventType('Open'), open: {ipAddress: openedBy.ip, timestamp, userAgent: openedBy.userAgent}};
	}
}

/** Returns the type in the fields of both kinds of SES notifications. */
function sesEventType(type: string): object {
	return {eventType: type, notificationType: type};
}
