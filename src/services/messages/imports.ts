import type {ImportMail} from '../../contract/messages.js';
import type {User} from '../../domain/accounts/user.js';
import {type Envelope, type Message, readMailbox, type Summary} from '../../domain/mail/message.js';
import type {Parser} from '../../mime/parser.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Quotas} from '../quotas.js';
import type {ReadMessage} from './contents.js';
import type {IncomingMail, MailReceiver} from './receive.js';
import {bytesOf, readHeader} from './source.js';

type ImportsOptions = {
	readonly inboxes: Pick<Inboxes, 'visible'>;
	readonly parser: Pick<Parser, 'summarize' | 'read'>;
	readonly quotas: Pick<Quotas, 'mail'>;
	readonly receiver: Pick<MailReceiver, 'receive'>;
	readonly now: () => Date;
};

/** Maximum number of envelope recipients, as for SMTP. */
const maxRecipients = 100;

/** Imports existing mail into an inbox that the user can see, whoever it is addressed to, as if it arrived now. */
export class Imports {
	readonly #options: ImportsOptions;

	constructor(options: ImportsOptions) {
		this.#options = options;
	}

	/**
	 * Stores mails durably, all or none, and returns their messages in the same order. No fault applies to them, and no bounce is
	 * generated. Throws `not_found` for the inbox, and the errors of `MailReceiver.receive`.
	 */
	async add(user: User, inboxName: string, sources: readonly Buffer[], terms: ImportMail): Promise<readonly Message[]> {
		const {inboxes, parser, receiver} = this.#options;
		const inbox = await inboxes.visible(user, inboxName);
		const mails: IncomingMail[] = [];
		for (const source of sources) {
			const summary = await readHeader(parser, user.id, bytesOf(source));
			const envelope = envelopeOf(summary, terms);
			const recipients = [{inbox, to: envelope.to[0] ?? inbox.address, recipients: []}];
			mails.push({envelope, session: null, source, summary, recipients, inboxId: inbox.id});
		}

		return (await receiver.receive(mails)).messages;
	}

	/** Returns what `add` would store, without storing it. Throws the same errors. */
	async check(user: User, inboxName: string, source: Buffer, terms: ImportMail): Promise<ReadMessage> {
		const {inboxes, quotas, parser, now} = this.#options;
		const inbox = await inboxes.visible(user, inboxName);
		await quotas.mail.assertRoom(inbox.ownerId);
		const bytes = bytesOf(source);
		const summary = await readHeader(parser, user.id, bytes);
		const envelope = envelopeOf(summary, terms);
		const message = {
			id: '',
			inboxId: inbox.id,
			sourceId: '',
			size: source.length,
			envelope,
			session: null,
			to: envelope.to[0] ?? inbox.address,
			receivedAt: now().toISOString(),
			summary,
		};
		return {message, content: await parser.read(user.id, await bytes.read())};
	}
}

/** Takes sender and recipients from the header unless the caller names them. Trace fields of other servers are ignored. */
function envelopeOf({from, to, cc}: Summary, terms: ImportMail): Envelope {
	const addresses = [...to, ...cc].map(mailbox => readMailbox(mailbox).address);
	return {from: terms.from ?? from, to: (terms.to ?? [...new Set(addresses)]).slice(0, maxRecipients)};
}
