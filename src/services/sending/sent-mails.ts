import type {SendProvider} from '../../contract/constants.js';
import type {Message} from '../../domain/mail/message.js';
import type {Store} from '../../store/port.js';
import type {ReadMessage} from '../messages/contents.js';
import type {Messages} from '../messages/messages.js';
import type {Sender} from './senders.js';

/** Mails that are remembered, the newest. */
const maxKept = 10_000;

/** Messages of an inbox that are looked at, the newest. */
const maxLookedAt = 10_000;

/** What an answer called a mail. */
export type SentName = {readonly provider: SendProvider; readonly id: string};

/** Finds a mail again by what the answer called it: with the key of an inbox what that has, with others what was sent here of late with the same one. */
export class SentMails {
	readonly #store: Pick<Store, 'messages' | 'inboxes' | 'users'>;
	readonly #messages: Pick<Messages, 'withContent'>;
	/** By name, the oldest first. */
	readonly #kept = new Map<string, {readonly keyHash: string; readonly messageId: string}>();

	constructor(store: Pick<Store, 'messages' | 'inboxes' | 'users'>, messages: Pick<Messages, 'withContent'>) {
		this.#store = store;
		this.#messages = messages;
	}

	/** Remembers what it was kept as. */
	note({provider, id}: SentName, {keyHash}: Sender, messageId: string): void {
		this.#kept.set(`${provider} ${id}`, {keyHash, messageId});
		if (this.#kept.size > maxKept) {
			this.#kept.delete(this.#kept.keys().next().value ?? '');
		}
	}

	/** Undefined when there is none, or none any more. */
	async find(name: SentName, sender: Sender): Promise<ReadMessage | undefined> {
		const message = (await this.#noted(name, sender)) ?? (await this.#inInbox(name, sender.inboxId));
		const inbox = message && (await this.#store.inboxes.get(message.inboxId));
		const owner = inbox && (await this.#store.users.get(inbox.ownerId));
		return message && owner && this.#messages.withContent(owner, message);
	}

	async #noted({provider, id}: SentName, {keyHash}: Sender): Promise<Message | undefined> {
		const kept = this.#kept.get(`${provider} ${id}`);
		return kept?.keyHash === keyHash ? this.#store.messages.get(kept.messageId) : undefined;
	}

	async #inInbox({provider, id}: SentName, inboxId: string | undefined): Promise<Message | undefined> {
		let lookedAt = 0;
		for await (const some of inboxId === undefined ? [] : this.#store.messages.walk(inboxId, {})) {
			const message = some.find(({session}) => session?.request?.provider === provider && session.request.id === id);
			lookedAt += some.length;
			if (message || lookedAt > maxLookedAt) {
				return message;
			}
		}

		return undefined;
	}
}
