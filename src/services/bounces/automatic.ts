import {type PendingBounce, pendingBounces} from '../../domain/mail/bounce.js';
import type {Inbox} from '../../domain/mail/inbox.js';
import type {Message} from '../../domain/mail/message.js';
import {Alarm} from '../../lib/time/timer.js';

/** What inboxes have come back by themselves: decided when a mail comes, and stored with it. */
export class AutomaticBounces {
	/** Rings when there are new ones. */
	readonly alarm = new Alarm();

	readonly #hasMagic: boolean;

	/** `hasMagic`: whether addresses may ask for them. */
	constructor(hasMagic: boolean) {
		this.#hasMagic = hasMagic;
	}

	/** Those of a message to these recipients, all of which led to the inbox. */
	of(message: Message, inbox: Inbox, recipients: readonly string[]): readonly PendingBounce[] {
		return pendingBounces(message, inbox, recipients, this.#hasMagic);
	}

	/** To be called once they are stored. */
	stored(bounces: readonly PendingBounce[]): void {
		if (bounces.length > 0) {
			this.alarm.ring();
		}
	}
}
