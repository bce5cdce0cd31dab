import {randomUUID} from 'node:crypto';
import {Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {type BounceKind, defaultStatus} from '../../contract/constants.js';
import type {User} from '../../domain/accounts/user.js';
import {AppError, found, invalidField} from '../../domain/errors.js';
import {canonicalAddress} from '../../domain/mail/address.js';
import type {Bounce, BouncedMail, SendMail} from '../../domain/mail/bounce.js';
import {
	actionOfStatus,
	autoReplyProblem,
	type DeliveryAction,
	deliveryStatus,
	feedbackReport,
	type PlainField,
	recipientsToNotify,
	replyFor,
	replyOf,
} from '../../domain/mail/bounce-report.js';
import {type Message, rangeOf} from '../../domain/mail/message.js';
import {version} from '../../lib/version.js';
import {compose, type NewMail, type NewPart} from '../../mime/compose/compose.js';
import {headOf, splitHeader} from '../../mime/parse/header-section.js';
import type {Store} from '../../store/port.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Messages} from '../messages/messages.js';
import type {MailReceiver} from '../messages/receive.js';
import type {MailEventReporter} from '../webhooks/delivery-planner.js';

/** Request for a bounce, complaint or automatic reply to a mail. */
type NewBounce = {
	readonly kind: BounceKind;
	readonly status?: string | undefined;
	/** Failed recipients; by default the address that led to the inbox. */
	readonly recipients?: readonly string[] | undefined;
	/** URL of the mail server to send it to; by default it is delivered to the inbox of the sender. */
	readonly to?: string | undefined;
};

/** Delivered bounce. `messageId` has no angle brackets; it is null if a webhook reported the bounce. */
export type SentBounce = Bounce & {
	readonly sender: string;
	readonly to: string | null;
	readonly messageId: string | null;
};

type BouncesOptions = {
	readonly inboxes: Inboxes;
	readonly messages: Pick<Messages, 'get'>;
	readonly receiver: Pick<MailReceiver, 'receiveOne'>;
	readonly mailEvents: Pick<MailEventReporter, 'report'>;
	readonly sendMail: SendMail;
	readonly host: string;
	readonly now: () => Date;
};

/** Mail server that a bounce is sent to, and the user who requested it. */
type Elsewhere = {readonly userId: string; readonly to: string};

/** Sends what a real mail server returns to the envelope sender: bounces, complaints and automatic replies. */
export class Bounces {
	readonly #store: Pick<Store, 'sources'>;
	readonly #options: BouncesOptions;

	constructor(store: Pick<Store, 'sources'>, options: BouncesOptions) {
		this.#store = store;
		this.#options = options;
	}

	/**
	 * Delivers a bounce at once. Throws `no_bounce` if no mail server would send it, `not_found` if the sender has no inbox, and the
	 * errors of the delivery.
	 */
	async create(user: User, inboxName: string, messageName: string, asked: NewBounce): Promise<SentBounce> {
		const message = await this.#options.messages.get(user, inboxName, messageName);
		const {kind, status = defaultStatus, to} = asked;
		const bounce = {kind, status, recipients: recipientsOf(message, asked.recipients)};
		return this.send(bounce, message, to === undefined ? undefined : {userId: user.id, to});
	}

	/** Delivers a bounce for the message. Throws like `create`. */
	async send(wanted: Bounce, message: Message, elsewhere?: Elsewhere): Promise<SentBounce> {
		const {envelope, session} = message;
		const provider = session?.request?.provider ?? 'tinbox';
		if (provider !== 'tinbox' && wanted.kind !== 'autoreply' && !elsewhere) {
			return this.#report(wanted, message);
		}

		if (envelope.from === '') {
			throw new AppError(
				'no_bounce',
				'The envelope sender of the message is <>, which never gets bounces, complaints or replies.',
			);
		}

		const bounce = wanted.kind === 'bounce' ? {...wanted, recipients: notified(wanted, message)} : wanted;
		const source = await this.#beginningOf(message);
		const {host, now} = this.#options;
		const id = `${randomUUID()}@${host}`;
		const mail = reportOf(bounce, {mail: message, source, host, messageId: `<${id}>`, now: now()});
		await this.#deliver(envelope.from, await compose(mail), elsewhere);
		return {...bounce, sender: envelope.from, to: elsewhere?.to ?? null, messageId: id};
	}

	/** Reports the bounce by webhook: mail of a sending API has no bounce in the sender's inbox. */
	async #report(bounce: Bounce, message: Message): Promise<SentBounce> {
		const bounced = actionOfStatus(bounce.status) === 'delivered' ? 'delivered' : 'bounced';
		const kind = bounce.kind === 'complaint' ? 'complained' : bounced;
		const groups = new Map<string, string[]>();
		for (const address of bounce.recipients) {
			const {status} = replyFor(bounce, address);
			const key = JSON.stringify([status, replyOf(replyFor(bounce, address))]);
			groups.set(key, [...(groups.get(key) ?? []), address]);
		}

		for (const [key, recipients] of groups) {
			const [status, reply] = JSON.parse(key);
			await this.#options.mailEvents.report({kind, recipients, status, reply}, message);
		}

		return {...bounce, sender: message.envelope.from, to: null, messageId: null};
	}

	async #deliver(sender: string, source: Buffer, elsewhere: Elsewhere | undefined): Promise<void> {
		const {inboxes, receiver, sendMail} = this.#options;
		if (elsewhere) {
			await sendMail({...elsewhere, recipient: sender, source});
			return;
		}

		if (!(await inboxes.resolve(sender))) {
			throw new AppError(
				'not_found',
				`No inbox receives mail for the sender <${sender}>. Create an inbox with this address, or name the server to send to.`,
			);
		}

		await receiver.receiveOne({envelope: {from: '', to: [sender]}, session: null, source: Readable.from([source])});
	}

	async #beginningOf(message: Message): Promise<Buffer> {
		const range = rangeOf(message, {start: 0, end: maxReturnedBytes});
		const source = await this.#store.sources.read(message.sourceId, range);
		return buffer(found(source, `There is no message "${message.id}".`));
	}
}

/** Requested recipients as the envelope spells them. An imported mail may have an empty envelope. */
function recipientsOf({envelope, to}: Message, asked: readonly string[] = [to]): readonly string[] {
	return asked.map(text => {
		const known = envelope.to.length > 0 ? envelope.to : [to];
		const address = known.find(other => canonicalAddress(other) === canonicalAddress(text));
		if (address === undefined) {
			throw invalidField('recipients', `names ${text}, which is not a recipient of the message`);
		}

		return address;
	});
}

function notified(bounce: Bounce, {envelope}: Message): readonly string[] {
	const recipients = recipientsToNotify(bounce, envelope.dsn);
	if (typeof recipients === 'string') {
		throw new AppError('no_bounce', recipients);
	}

	return recipients;
}

/** Maximum size of a mail that is returned whole, in bytes, as in Postfix. Of a larger one, only the header section is returned. */
const maxReturnedBytes = 50_000;

/** Maximum number of earlier ids in References. */
const maxReferences = 20;

const maxSubjectLength = 200;

const programHeaders = {'Auto-Submitted': 'auto-replied'};

/** Input of a bounce message. `source` has at most one byte more than `maxReturnedBytes`. */
type Returned = {
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

const reports = {bounce: notification, complaint, autoreply: autoReply};

/** Creates the message to the envelope sender. Throws `no_bounce` if no mail server would send it. */
export function reportOf(bounce: Bounce, returned: Returned): NewMail {
	return reports[bounce.kind](bounce, returned);
}

function notification(bounce: Bounce, returned: Returned): NewMail {
	const {mail, host, now} = returned;
	const action = actionOfStatus(bounce.status);
	// Only failures return the whole mail, unless the sender requested the header alone (RFC 3461, section 4.3).
	const isWhole = action === 'failed' && mail.envelope.dsn?.ret !== 'HDRS';
	const lines = bounce.recipients.map(address => `<${onOneLine(address)}>: ${replyOf(replyFor(bounce, address))}`);
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

/** Header fields that mail programs group replies by (RFC 5322, section 3.6.4). */
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

/** The mail, or its header section (RFC 6522, section 4). */
function original(source: Buffer, isWhole: boolean): NewPart {
	return isWhole && source.length <= maxReturnedBytes
		? {type: 'message/rfc822', description: 'Undelivered Message', content: source}
		: {type: 'text/rfc822-headers', description: 'Undelivered Message Headers', content: headerOf(source)};
}

function headerOf(source: Buffer): Buffer {
	const head = headOf(source.subarray(0, maxReturnedBytes));
	const whole = head.length < maxReturnedBytes ? head : head.subarray(0, head.lastIndexOf('\n'));
	return Buffer.from(`${whole.toString('latin1').trimEnd()}\r\n`, 'latin1');
}
