import {isIP} from 'node:net';
import type {Bounce, BouncedMail, RecipientReply} from './bounce.js';
import type {Dsn} from './message.js';

/** Action of a delivery report (RFC 3464, section 2.3.3). */
export type DeliveryAction = 'failed' | 'delayed' | 'delivered';

/** Retry period in reports of delayed mail, as usual for mail servers (RFC 5321, section 4.5.4.1). */
const retryMs = 5 * 86_400_000;

const actions: Readonly<Record<string, DeliveryAction>> = {2: 'delivered', 4: 'delayed', 5: 'failed'};

/** Reply texts by enhanced status code without its class (RFC 3463, section 3). */
const texts: Readonly<Record<string, string>> = {
	'1.1': 'User unknown',
	'1.2': 'Host unknown',
	'1.10': 'Domain does not accept mail',
	'2.1': 'Mailbox disabled',
	'2.2': 'Mailbox full',
	'2.3': 'Message too large for this mailbox',
	'3.4': 'Message too large',
	'4.1': 'No answer from host',
	'4.4': 'No route to host',
	'4.7': 'Delivery time expired',
	'7.1': 'Delivery not authorized, message refused',
};

/** Default reply, and value of NOTIFY (RFC 3461, section 4.1), by action. */
const defaults: Readonly<
	Record<DeliveryAction, {readonly code: number; readonly text: string; readonly notify: string}>
> = {
	delivered: {code: 250, text: 'Delivered', notify: 'SUCCESS'},
	delayed: {code: 450, text: 'Delivery delayed', notify: 'DELAY'},
	failed: {code: 550, text: 'Delivery failed', notify: 'FAILURE'},
};

export function actionOfStatus(status: string): DeliveryAction {
	return actions[status.charAt(0)] ?? 'failed';
}

/** Returns the recipients whose sender wants a report (RFC 3461, section 4.1), or a sentence that says why there is none. */
export function recipientsToNotify({recipients, status}: Bounce, dsn: Dsn | undefined): readonly string[] | string {
	const action = actionOfStatus(status);
	const wanted = recipients.filter(address => {
		const notify = dsn?.recipients?.[address]?.notify;
		return notify ? notify.includes(defaults[action].notify) : action !== 'delivered';
	});
	if (wanted.length > 0) {
		return wanted;
	}

	const notify = dsn?.recipients?.[recipients[0] ?? '']?.notify;
	return notify
		? `The sender did not request reports of "${action}": the recipient has NOTIFY=${notify.join(',')}.`
		: 'Senders get a report of a successful delivery only if they request it with NOTIFY=SUCCESS.';
}

/** Returns the body of a `message/delivery-status` part (RFC 3464, section 2). `host` is the name of this server. */
export function deliveryStatus(bounce: Bounce, {envelope, session, receivedAt}: BouncedMail, host: string, now: Date) {
	const {recipients} = bounce;
	const action = actionOfStatus(bounce.status);
	const helo = session?.client.helo;
	const {dsn} = envelope;
	return [
		fields([
			['Original-Envelope-Id', dsn?.envid],
			['Reporting-MTA', `dns; ${host}`],
			['Received-From-MTA', helo ? `dns; ${helo}` : undefined],
			['Arrival-Date', mailDate(new Date(receivedAt))],
		]),
		...recipients.map(address =>
			fields([
				['Original-Recipient', originalRecipient(dsn?.recipients?.[address]?.orcpt)],
				['Final-Recipient', typedAddress('rfc822', address)],
				['Action', action],
				['Status', replyFor(bounce, address).status],
				['Diagnostic-Code', `smtp; ${replyOf(replyFor(bounce, address))}`],
				['Last-Attempt-Date', mailDate(now)],
				['Will-Retry-Until', action === 'delayed' ? mailDate(new Date(Date.parse(receivedAt) + retryMs)) : undefined],
			]),
		),
	].join('\r\n');
}

/** Returns the reply for a recipient of the bounce. */
export function replyFor({status, reply, replies = {}}: Bounce, address: string): RecipientReply {
	return Object.hasOwn(replies, address) && replies[address] ? replies[address] : {status, ...(reply && {reply})};
}

/** Returns the reply of the simulated remote server as a line. */
export function replyOf({status, reply}: RecipientReply): string {
	const action = actionOfStatus(status);
	const standard = action === 'delivered' ? undefined : texts[status.slice(2)];
	return reportLine(reply ?? `${defaults[action].code} ${status} ${standard ?? defaults[action].text}`);
}

type Field = readonly [name: string, value: string | undefined];

/** Formats fields without those that are undefined. */
function fields(values: readonly Field[], clean = reportLine): string {
	return values
		.filter(([, value]) => value !== undefined)
		.map(([name, value = '']) => `${name}: ${clean(value)}\r\n`)
		.join('');
}

/** Converts ORCPT, which is `<type>;<address>` without its encoding (RFC 3461, section 4.2). */
function originalRecipient(orcpt = ''): string | undefined {
	const [, type, address] = /^([\w-]+);(.+)$/su.exec(orcpt) ?? [];
	return type && address && typedAddress(type, address);
}

/** Formats an address for a report. A non-ASCII address has another type and an encoding (RFC 6533, section 3). */
function typedAddress(type: string, address: string): string {
	if (/^[\x20-\x7e]*$/.test(address)) {
		return `${type}; ${address}`;
	}

	const encoded = address.replace(/[^\x21-\x7e]|[+=\\]/gu, letter => {
		const hex = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase();
		return `\\x{${hex.padStart(2, '0')}}`;
	});
	return `utf-8; ${encoded}`;
}

/**
 * Returns the body of a `message/feedback-report` part, a spam complaint (RFC 5965, section 3). `host` is the name of this
 * server.
 */
export function feedbackReport(
	recipients: readonly string[],
	{envelope, session, summary, receivedAt}: BouncedMail,
	{host, agent}: {readonly host: string; readonly agent: string},
): string {
	const ip = session?.client.host ?? '';
	const domain = summary.from.slice(summary.from.lastIndexOf('@') + 1);
	const values: readonly Field[] = [
		['Feedback-Type', 'abuse'],
		['User-Agent', agent],
		['Version', '1'],
		['Original-Envelope-Id', envelope.dsn?.envid],
		['Original-Mail-From', `<${envelope.from}>`],
		...recipients.map(address => ['Original-Rcpt-To', `<${address}>`] as const),
		['Arrival-Date', mailDate(new Date(receivedAt))],
		['Reporting-MTA', `dns; ${host}`],
		['Source-IP', isIP(ip) === 0 ? undefined : ip],
		['Reported-Domain', domain || undefined],
	];
	// These fields have no encoding: non-ASCII text stays as it is (RFC 6532).
	return fields(values, value => value.replace(/\p{Cc}/gu, '?'));
}

/** Header field: name in lower case, value on one line. */
export type PlainField = {readonly key: string; readonly value: string};

/** Senders that are mailing lists or programs (RFC 3834, section 2; RFC 5230, section 4.6). */
const programs = /^(?:owner-.*|.*-(?:owner|request)|mailer-daemon|listserv|majordomo)@/i;

/** Returns a sentence that says why a mail gets no automatic reply (RFC 3834, section 2); undefined if it may get one. */
export function autoReplyProblem(sender: string, fields: readonly PlainField[]): string | undefined {
	if (programs.test(sender)) {
		return `Automatic replies are not sent to <${sender}>: a program reads this mail.`;
	}

	const field = fields.find(isAutomatic);
	return field && `Automatic replies are not sent to automatic mail: the message has "${field.key}: ${field.value}".`;
}

function isAutomatic({key, value}: PlainField): boolean {
	switch (key) {
		case 'auto-submitted':
			return !/^no\b/i.test(value);
		case 'precedence':
			return /^(?:bulk|junk|list)\b/i.test(value);
		case 'x-auto-response-suppress':
			return /\b(?:all|oof|autoreply)\b/i.test(value);
		default:
			return key.startsWith('list-');
	}
}

/** Converts a text to one line of printable ASCII, for reports. */
function reportLine(text: string): string {
	return text.replace(/[^\x20-\x7e]/gu, '?');
}

/** Formats a time for a mail header (RFC 5322, section 3.3). */
function mailDate(time: Date): string {
	return time.toUTCString().replace('GMT', '+0000');
}
