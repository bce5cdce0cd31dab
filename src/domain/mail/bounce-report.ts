import {isIP} from 'node:net';
import {type Bounce, type BouncedMail, mailDate, reportLine} from './bounce.js';
import type {Dsn} from './message.js';

/** What became of a mail (RFC 3464, section 2.3.3). */
export type DeliveryAction = 'failed' | 'delayed' | 'delivered';

/** How long a delayed mail is said to be tried: as long as mail servers do (RFC 5321, section 4.5.4.1). */
const retryMs = 5 * 86_400_000;

const actions: Readonly<Record<string, DeliveryAction>> = {2: 'delivered', 4: 'delayed', 5: 'failed'};

/** What a mail server answers with the status, besides its code (RFC 3463, section 3). */
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

const codes: Readonly<Record<DeliveryAction, number>> = {delivered: 250, delayed: 450, failed: 550};

const plainTexts: Readonly<Record<DeliveryAction, string>> = {
	delivered: 'Delivered',
	delayed: 'Delivery delayed',
	failed: 'Delivery failed',
};

/** What the sender says to be told of (RFC 3461, section 4.1). */
const conditions: Readonly<Record<DeliveryAction, string>> = {
	delivered: 'SUCCESS',
	delayed: 'DELAY',
	failed: 'FAILURE',
};

export function actionOf(status: string): DeliveryAction {
	return actions[status.charAt(0)] ?? 'failed';
}

/** The recipients of whom the sender wants to be told (RFC 3461, section 4.1), or, in a sentence, why of none. */
export function notifiedOf({recipients, status}: Bounce, dsn: Dsn | undefined): readonly string[] | string {
	const action = actionOf(status);
	const wanted = recipients.filter(address => {
		const notify = dsn?.recipients?.[address]?.notify;
		return notify ? notify.includes(conditions[action]) : action !== 'delivered';
	});
	if (wanted.length > 0) {
		return wanted;
	}

	const notify = dsn?.recipients?.[recipients[0] ?? '']?.notify;
	return notify
		? `The sender did not request reports of "${action}": the recipient has NOTIFY=${notify.join(',')}.`
		: 'Senders get a report of a successful delivery only if they request it with NOTIFY=SUCCESS.';
}

/** The body of a `message/delivery-status` part (RFC 3464, section 2). `host` is the name of this mail server. */
export function deliveryStatus(bounce: Bounce, {envelope, session, receivedAt}: BouncedMail, host: string, now: Date) {
	const {recipients, status} = bounce;
	const action = actionOf(status);
	const helo = session?.client.helo;
	const {dsn} = envelope;
	return [
		fields({
			'Original-Envelope-Id': dsn?.envid,
			'Reporting-MTA': `dns; ${host}`,
			'Received-From-MTA': helo ? `dns; ${helo}` : undefined,
			'Arrival-Date': mailDate(new Date(receivedAt)),
		}),
		...recipients.map(address =>
			fields({
				'Original-Recipient': originalRecipient(dsn?.recipients?.[address]?.orcpt),
				'Final-Recipient': typedAddress('rfc822', address),
				Action: action,
				Status: status,
				'Diagnostic-Code': `smtp; ${replyOf(bounce)}`,
				'Last-Attempt-Date': mailDate(now),
				'Will-Retry-Until': action === 'delayed' ? mailDate(new Date(Date.parse(receivedAt) + retryMs)) : undefined,
			}),
		),
	].join('\r\n');
}

/** What the server of the recipients is said to have answered. */
export function replyOf({status, reply}: Bounce): string {
	const action = actionOf(status);
	const standard = action === 'delivered' ? undefined : texts[status.slice(2)];
	return reportLine(reply ?? `${codes[action]} ${status} ${standard ?? plainTexts[action]}`);
}

function fields(values: Readonly<Record<string, string | undefined>>): string {
	return Object.entries(values)
		.filter(([, value]) => value !== undefined)
		.map(([name, value = '']) => `${name}: ${reportLine(value)}\r\n`)
		.join('');
}

/** `orcpt`: a type, a semicolon, and the address, as ORCPT has it without its encoding (RFC 3461, section 4.2). */
function originalRecipient(orcpt = ''): string | undefined {
	const [, type, address] = /^([\w-]+);(.+)$/su.exec(orcpt) ?? [];
	return type && address && typedAddress(type, address);
}

/** An address that is not ASCII has a type of its own, and an encoding (RFC 6533, section 3). */
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

/** The body of a `message/feedback-report` part: somebody calls the mail spam (RFC 5965, section 3). `host` is the name of this mail server. */
export function feedbackReport(
	recipients: readonly string[],
	{envelope, session, summary, receivedAt}: BouncedMail,
	{host, agent}: {readonly host: string; readonly agent: string},
): string {
	const ip = session?.client.host ?? '';
	const domain = summary.from.slice(summary.from.lastIndexOf('@') + 1);
	const fields: ReadonlyArray<readonly [string, string | undefined]> = [
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
	// These fields have no encoding: what is not ASCII stays as it is (RFC 6532).
	return fields
		.filter(([, value]) => value !== undefined)
		.map(([name, value = '']) => `${name}: ${value.replace(/\p{Cc}/gu, '?')}\r\n`)
		.join('');
}

/** A field of a header section: its name in lower case, and its value on one line. */
export type PlainField = {readonly key: string; readonly value: string};

/** Who answers for many, or for a program (RFC 3834, section 2; RFC 5230, section 4.6). */
const programs = /^(?:owner-.*|.*-(?:owner|request)|mailer-daemon|listserv|majordomo)@/i;

/** Why nobody answers such a mail by a program (RFC 3834, section 2), in a sentence; undefined when one may. */
export function autoReplyProblem(sender: string, fields: readonly PlainField[]): string | undefined {
	if (programs.test(sender)) {
		return `Automatic replies are not sent to <${sender}>: a program reads this mail.`;
	}

	const field = fields.find(isOfProgram);
	return field && `Automatic replies are not sent to automatic mail: the message has "${field.key}: ${field.value}".`;
}

function isOfProgram({key, value}: PlainField): boolean {
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
