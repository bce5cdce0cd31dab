import {randomUUID} from 'node:crypto';
import {Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {type BounceKind, defaultStatus} from '../../contract/constants.js';
import {canonicalAddress} from '../../domain/address.js';
import type {Bounce, SendMail} from '../../domain/bounce.js';
import {actionOf, notifiedOf, replyOf} from '../../domain/delivery-status.js';
import {AppError, found, invalidField} from '../../domain/errors.js';
import {type Message, rangeOf} from '../../domain/message.js';
import type {User} from '../../domain/user.js';
import {compose} from '../../mime/compose.js';
import type {Store} from '../../store/store.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Messages} from '../messages/messages.js';
import type {MailEvents} from '../webhooks/mail-events.js';
import {maxReturnedBytes, reportOf} from './report.js';

/** What is asked to come back for a mail. */
export type NewBounce = {
	readonly kind: BounceKind;
	readonly status?: string | undefined;
	/** Whom it is about; the recipient that led to the inbox unless given. */
	readonly recipients?: readonly string[] | undefined;
	/** The server that it is sent to; it goes to the inbox of the sender unless given. */
	readonly to?: string | undefined;
};

/** A bounce that was delivered, with its Message-ID, without the angle brackets; null where a webhook tells of it. */
export type SentBounce = Bounce & {
	readonly sender: string;
	readonly to: string | null;
	readonly messageId: string | null;
};

export type BouncesOptions = {
	readonly inboxes: Inboxes;
	readonly messages: Messages;
	readonly mailEvents: Pick<MailEvents, 'tell'>;
	readonly sendMail: SendMail;
	/** The name of this mail server. */
	readonly host: string;
	readonly now: () => Date;
};

/** A server that a bounce is sent to, and on whose behalf. */
type Elsewhere = {readonly userId: string; readonly to: string};

/** Has come back to the envelope sender what a real server would send: bounces, complaints and automatic replies. */
export class Bounces {
	readonly #store: Pick<Store, 'sources'>;
	readonly #options: BouncesOptions;

	constructor(store: Pick<Store, 'sources'>, options: BouncesOptions) {
		this.#store = store;
		this.#options = options;
	}

	/**
	 * Delivers it at once. Throws `no_bounce` when no server would send it, `not_found` when no inbox takes mail for the
	 * sender, and what comes of the delivery.
	 */
	async create(user: User, inboxName: string, messageName: string, asked: NewBounce): Promise<SentBounce> {
		const message = await this.#options.messages.get(user, inboxName, messageName);
		const {kind, status = defaultStatus, to} = asked;
		const bounce = {kind, status, recipients: recipientsOf(message, asked.recipients)};
		return this.send(bounce, message, to === undefined ? undefined : {userId: user.id, to});
	}

	/** Delivers a bounce for the message. Throws as `create`. */
	async send(wanted: Bounce, message: Message, elsewhere?: Elsewhere): Promise<SentBounce> {
		const {envelope, session} = message;
		const provider = session?.request?.provider ?? 'tinbox';
		if (provider !== 'tinbox' && wanted.kind !== 'autoreply' && !elsewhere) {
			return this.#tell(wanted, message);
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

	/** Sending APIs take bounces in, and tell the app of them by a webhook. */
	async #tell(bounce: Bounce, message: Message): Promise<SentBounce> {
		const {recipients, status} = bounce;
		const bounced = actionOf(status) === 'delivered' ? 'delivered' : 'bounced';
		const kind = bounce.kind === 'complaint' ? 'complained' : bounced;
		await this.#options.mailEvents.tell({kind, recipients, status, reply: replyOf(bounce)}, message);
		return {...bounce, sender: message.envelope.from, to: null, messageId: null};
	}

	async #deliver(sender: string, source: Buffer, elsewhere: Elsewhere | undefined): Promise<void> {
		const {inboxes, messages, sendMail} = this.#options;
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

		await messages.deliver({from: '', to: [sender]}, null, Readable.from([source]));
	}

	async #beginningOf(message: Message): Promise<Buffer> {
		const range = rangeOf(message, {start: 0, end: maxReturnedBytes});
		const source = await this.#store.sources.read(message.sourceId, range);
		return buffer(found(source, `There is no message "${message.id}".`));
	}
}

/** Those that are asked for, as the envelope has them; an imported mail may have none. */
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
	const recipients = notifiedOf(bounce, envelope.dsn);
	if (typeof recipients === 'string') {
		throw new AppError('no_bounce', recipients);
	}

	return recipients;
}
