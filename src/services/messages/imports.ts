import type {ImportMail} from '../../contract/messages.js';
import type {User} from '../../domain/accounts/user.js';
import {type Envelope, type Message, readMailbox, type Summary} from '../../domain/mail/message.js';
import type {Parser} from '../../mime/parser.js';
import type {Inboxes} from '../inboxes/inboxes.js';
import type {Quotas} from '../quotas.js';
import type {ReadMessage} from './contents.js';
import {arrivedOf, type Deposited, type Incoming} from './receive.js';

type ImportsOptions = {
	readonly inboxes: Pick<Inboxes, 'visible'>;
	readonly parser: Pick<Parser, 'summarize' | 'read'>;
	readonly quotas: Pick<Quotas, 'mail'>;
	readonly incoming: Pick<Incoming, 'deposit'>;
	readonly now: () => Date;
};

/** Recipients of an envelope at most, as of mail that comes by SMTP. */
const maxRecipients = 100;

/** Takes in mail that was elsewhere before: into an inbox that the user sees, whoever it is for, as if it came now. */
export class Imports {
	readonly #options: ImportsOptions;

	constructor(options: ImportsOptions) {
		this.#options = options;
	}

	/**
	 * Stores mails, durably, all of them or none, and gives their messages. Throws `not_found` for the inbox, and as mail that
	 * comes by SMTP.
	 */
	async add(user: User, inboxName: string, sources: readonly Buffer[], terms: ImportMail): Promise<readonly Message[]> {
		const inbox = await this.#options.inboxes.visible(user, inboxName);
		const mails: Deposited[] = [];
		for (const source of sources) {
			const summary = await this.#summarize(user, source);
			mails.push({source, summary, envelope: envelopeOf(summary, terms)});
		}

		return this.#options.incoming.deposit(inbox, mails);
	}

	/** What `add` would store, which changes nothing, and throws the same. */
	async check(user: User, inboxName: string, source: Buffer, terms: ImportMail): Promise<ReadMessage> {
		const {inboxes, quotas, parser, now} = this.#options;
		const inbox = await inboxes.visible(user, inboxName);
		await quotas.mail.assertRoom(inbox.ownerId);
		const summary = await this.#summarize(user, source);
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
		return {message, content: await parser.read(user.id, await arrivedOf('', source).read())};
	}

	async #summarize({id}: User, source: Buffer): Promise<Summary> {
		const {head, read} = arrivedOf('', source);
		return this.#options.parser.summarize(id, head, head.length < source.length ? async () => read() : undefined);
	}
}

/** What the header says of sender and recipients, unless that is given. Lines that other servers added count for nothing. */
function envelopeOf({from, to, cc}: Summary, terms: ImportMail): Envelope {
	const named = [...to, ...cc].map(mailbox => readMailbox(mailbox).address);
	return {from: terms.from ?? from, to: (terms.to ?? [...new Set(named)]).slice(0, maxRecipients)};
}
