import type {Inbox} from '../domain/inbox.js';
import type {Message} from '../domain/message.js';
import type {Delivery} from '../domain/webhook.js';

/** Who tells the world of new messages. */
export interface Announcer {
	/** The deliveries that announce these messages, to be stored in one commit with them. `inboxes` are those they reached. */
	announce(messages: readonly Message[], inboxes: readonly Inbox[]): Promise<readonly Delivery[]>;
	/** The messages are stored and their summaries known: their deliveries can be written and sent. */
	described(messages: readonly Message[]): void | Promise<void>;
}
