import {isPermanent, type MailEvent, openedBy, shownSender, tagValues} from './mail-event.js';

/** As Postmark tells it: a body for each recipient. */
export function postmarkEvents(event: MailEvent): readonly string[] {
	return event.recipients.map((recipient, index) => JSON.stringify(recordOf(event, recipient, index)));
}

function recordOf(event: MailEvent, recipient: string, index: number): object {
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
