import {autoReplyProblem, type PlainField} from '../../domain/auto-reply.js';
import type {Bounce, BouncedMail} from '../../domain/bounce.js';
import {actionOf, type DeliveryAction, deliveryStatus, replyOf} from '../../domain/delivery-status.js';
import {AppError} from '../../domain/errors.js';
import {feedbackReport} from '../../domain/feedback-report.js';
import {version} from '../../lib/version.js';
import type {NewMail, NewPart} from '../../mime/compose.js';
import {headOf, splitHeader} from '../../mime/header-section.js';

/** Bytes of a mail that come back with it at most; of a longer one its header section does. As Postfix has it. */
export const maxReturnedBytes = 50_000;

/** How many mails before it a reply refers to. */
const maxReferences = 20;

const maxSubjectLength = 200;

const programHeaders = {'Auto-Submitted': 'auto-replied'};

/** What a bounce is made of: the mail, its first bytes, at most one more than come back, and who says so when. */
export type Returned = {
	readonly mail: BouncedMail;
	readonly source: Buffer;
	/** The name of this mail server. */
	readonly host: string;
	readonly messageId: string;
	readonly now: Date;
};

const subjects: Readonly<Record<DeliveryAction, string>> = {
	delivered: 'Successful Mail Delivery Report',
	delayed: 'Delayed Mail (still being retried)',
	failed: 'Undelivered Mail Returned to Sender',
};

const sentences: Readonly<Record<DeliveryAction, string>> = {
	delivered: 'Your message was delivered to:',
	delayed: 'Your message could not be delivered yet. You do not need to send it again. Delivery will be retried for:',
	failed: 'Your message could not be delivered to:',
};

/** The mail that a server sends to the envelope sender. Throws `no_bounce` when no server would. */
export function reportOf(bounce: Bounce, returned: Returned): NewMail {
	switch (bounce.kind) {
		case 'bounce':
			return notification(bounce, returned);
		case 'complaint':
			return complaint(bounce, returned);
		case 'autoreply':
			return autoReply(bounce, returned);
	}
}

function notification(bounce: Bounce, returned: Returned): NewMail {
	const {mail, host, now} = returned;
	const action = actionOf(bounce.status);
	// Only failures bring the whole mail back, and not when the sender wants its header alone (RFC 3461, section 4.3).
	const isWhole = action === 'failed' && mail.envelope.dsn?.ret !== 'HDRS';
	const lines = bounce.recipients.map(address => `<${onOneLine(address)}>: ${replyOf(bounce)}`);
	return {
		...addressed(returned, {name: 'Mail Delivery System', address: `MAILER-DAEMON@${host}`}),
		headers: {...programHeaders, ...thread(returned), Subject: subjects[action]},
		type: 'multipart/report; report-type=delivery-status',
		parts: [
			text(`This is the mail system at host ${host}.\n\n${sentences[action]}\n\n${lines.join('\n')}\n`, 'Notification'),
			{
				type: 'message/delivery-status',
				description: 'Delivery report',
				content: deliveryStatus(bounce, mail, host, now),
			},
			original(returned.source, isWhole),
		],
	};
}

function complaint({recipients}: Bounce, returned: Returned): NewMail {
	const {mail, host, source} = returned;
	const subject = mail.summary.subject.slice(0, maxSubjectLength);
	return {
		...addressed(returned, {name: 'Complaints', address: `complaints@${host}`}),
		headers: {'Auto-Submitted': 'auto-generated', ...thread(returned), Subject: `Complaint about: ${subject}`},
		type: 'multipart/report; report-type=feedback-report',
		parts: [
			text(`A recipient reported this message as spam:\n\n${recipients.map(onOneLine).join('\n')}\n`),
			{
				type: 'message/feedback-report',
				content: feedbackReport(recipients, mail, {host, agent: `tinbox/${version}`}),
			},
			original(source, true),
		],
	};
}

function autoReply({recipients}: Bounce, returned: Returned): NewMail {
	const {mail, source} = returned;
	const fields = splitHeader(headOf(source)).map(({key, line}) => ({key, value: unfoldedValue(line)}));
	const problem = autoReplyProblem(mail.envelope.from, fields);
	if (problem !== undefined) {
		throw new AppError('no_bounce', problem);
	}

	return {
		...addressed(returned, {name: '', address: recipients[0] ?? ''}),
		headers: {
			...programHeaders,
			...thread(returned, fields),
			Subject: `Auto: ${mail.summary.subject.slice(0, maxSubjectLength)}`,
		},
		parts: [text('I am out of the office and will reply when I am back.\n')],
	};
}

function addressed({mail, messageId, now}: Returned, from: NewMail['from']) {
	return {from, to: mail.envelope.from, date: now, messageId};
}

/** What mail programs sort a reply by (RFC 5322, section 3.6.4). */
function thread({mail}: Returned, fields: readonly PlainField[] = []): Readonly<Record<string, string>> {
	const own = idsIn(`<${mail.summary.messageId}>`);
	if (own.length === 0) {
		return {};
	}

	const before = idsIn(fields.find(({key}) => key === 'references')?.value ?? '');
	return {'In-Reply-To': own.join(''), References: [...before.slice(-maxReferences), ...own].join(' ')};
}

function idsIn(value: string): readonly string[] {
	return value.match(/<[\x21-\x3b\x3d\x3f-\x7e]{1,250}>/g) ?? [];
}

function unfoldedValue(line: string): string {
	return line
		.slice(line.indexOf(':') + 1)
		.replace(/\s+/g, ' ')
		.trim();
}

function onOneLine(address: string): string {
	return address.replace(/\p{Cc}/gu, '?');
}

function text(content: string, description?: string): NewPart {
	const lines = content.replaceAll('\n', '\r\n');
	return {type: 'text/plain; charset=utf-8', content: lines, ...(description && {description})};
}

/** The mail itself, or its header section (RFC 6522, section 4). */
function original(source: Buffer, isWhole: boolean): NewPart {
	return isWhole && source.length <= maxReturnedBytes
		? {type: 'message/rfc822', description: 'Undelivered Message', content: source}
		: {type: 'text/rfc822-headers', description: 'Undelivered Message Headers', content: headerOf(source)};
}

/** As much of the header section as comes back. */
function headerOf(source: Buffer): Buffer {
	const head = headOf(source.subarray(0, maxReturnedBytes));
	const whole = head.length < maxReturnedBytes ? head : head.subarray(0, head.lastIndexOf('\n'));
	return Buffer.from(`${whole.toString('latin1').trimEnd()}\r\n`, 'latin1');
}
