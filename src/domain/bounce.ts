import type {BounceKind} from '../contract/constants.js';
import type {Message} from './message.js';

/** What is to come back for a mail, to its envelope sender. */
export type Bounce = {
	readonly kind: BounceKind;
	/** Whom it is about, of those in the envelope. */
	readonly recipients: readonly string[];
	/** Of a bounce (RFC 3463); of others it says nothing. */
	readonly status: string;
	/** What the server of the recipients is said to have answered, as one line; undefined for what goes with the status. */
	readonly reply?: string;
};

/** A bounce that is still to be sent, kept with the message it is for. */
export type PendingBounce = Bounce & {
	readonly id: string;
	readonly messageId: string;
	/** Of the inbox. */
	readonly ownerId: string;
	/** ISO 8601. */
	readonly dueAt: string;
};

/** A mail as a bounce needs it. */
export type BouncedMail = Pick<Message, 'envelope' | 'session' | 'receivedAt' | 'summary'>;

/**
 * Sends a mail of nobody (`<>`) to one recipient at the server that a URL such as `smtp://localhost:2525` names. Throws
 * `invalid_input` when it must not be sent there, `undelivered` with the reason when it is not taken.
 */
export type SendMail = (mail: {
	/** On whose behalf. */
	readonly userId: string;
	readonly to: string;
	readonly recipient: string;
	readonly source: Buffer;
}) => Promise<void>;

/** Text as it stands in a line of a report: printable ASCII, without line breaks. */
export function reportLine(text: string): string {
	return text.replace(/[^\x20-\x7e]/gu, '?');
}

/** A time as mail has it (RFC 5322, section 3.3). */
export function mailDate(time: Date): string {
	return time.toUTCString().replace('GMT', '+0000');
}
