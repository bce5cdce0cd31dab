import type {SendProvider} from '../../contract/constants.js';
import type {Message} from '../../domain/mail/message.js';
import type {Store} from '../../store/port.js';
import type {ReadMessage} from '../messages/contents.js';
import type {Messages} from '../messages/messages.js';
import type {Sender} from './senders.js';

/** Maximum number of remembered mails; the oldest are dropped first. */
const maxRemembered = 10_000;

/** Maximum number of messages of an inbox that are searched, newest first. */
const maxSearched = 10_000;

/** Id of a mail in the provider's answer. */
type SentName = {readonly provider: SendProvider; readonly id: string};

/** Finds a sent mail by its id: mail in the inbox of the key, and mail recently sent with the same key through this node. */
export class SentMails {
	readonly #store: Pick<Store, 'messages' | 'inboxes' | 'users'>;
	readonly #messages: Pick<Messages, 'withContent'>;
	/** Remembered mails by provider and id, oldest first. */
	readonly #remembered = new Map<string, {readonly keyHash: string; readonly messageId: string}>();

	constructor(store: Pick<Store, 'messages' | 'inboxes' | 'users'>, messages: Pick<Messages, 'withContent'>) {
		this.#store = store;
		this.#messages = messages;
	}

	/** Remembers the message of a mail. */
	note({provider, id}: SentName, {keyHash}: Sender, messageId: string): void {
		this.#remembered.set(`${provider} ${id}`, {keyHash, messageId});
		if (this.#remembered.size > maxRemembered) {
			this.#remembered.delete(this.#remembered.keys().next().value ?? '');
		}
	}

	/** Finds a mail; undefined if it does not exist or was deleted. */
	async find(name: SentName, sender: Sender): Promise<ReadMessage | undefined> {
		const message = (await this.#findRemembered(name, sender)) ?? (await this.#findInInbox(name, sender.inboxId));
		const inbox = message && (await this.#store.inboxes.get(message.inboxId));
		const owner = inbox && (await this.#store.users.get(inbox.ownerId));
		return message && owner && this.#messages.withContent(owner, message);
	}

	async #findRemembered({provider, id}: SentName, {keyHash}: Sender): Promise<Message | undefined> {
		const kept = this.#remembered.get(`${provider} ${id}`);
		return kept?.keyHash === keyHash ? this.#store.messages.get(kept.messageId) : undefined;
	}

	async #findInInbox({provider, id}: SentName, inboxId: string | undefined): Promise<Message | undefined> {
		let searched = 0;
		for await (const some of inboxId === undefined ? [] : this.#store.messages.walk(inboxId, {})) {
			const message = some.find(({session}) => session?.request?.provider === provider && session.request.id === id);
			searched += some.length;
			if (message || searched > maxSearched) {
				return message;
			}
		}

		return undefined;
	}
}
