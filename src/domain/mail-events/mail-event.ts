import type {MailEventKind} from '../../contract/constants.js';
import type {SendRequestBody} from '../../contract/messages.js';
import {type Message, readMailbox} from '../message.js';

/** What became of a mail that an app had a sending API send, for these recipients. */
export type MailEvent = {
	readonly kind: MailEventKind;
	readonly message: Message;
	readonly request: SendRequestBody;
	readonly recipients: readonly string[];
	/** Of a bounce (RFC 3463). */
	readonly status: string;
	/** What the server of the recipients is said to have answered. */
	readonly reply: string;
	/** Of its own. */
	readonly id: string;
	readonly at: Date;
};

/** The sender as the mail shows it. */
export function shownSender({summary: {from, fromName}, envelope}: Message): string {
	const address = from || envelope.from;
	return fromName === undefined ? address : `${fromName} <${address}>`;
}

/** The addresses that the mail shows as its recipients. */
export function shownRecipients({summary: {to}}: Message): readonly string[] {
	return to.map(mailbox => readMailbox(mailbox).address);
}

export function tagValues({tags}: SendRequestBody): readonly string[] {
	return tags.map(({value}) => value);
}

/** Whether the status says that the mail will never come. */
export function isPermanent({status}: Pick<MailEvent, 'status'>): boolean {
	return status.startsWith('5');
}

export function seconds(time: Date): number {
	return Math.floor(time.getTime() / 1000);
}

/** Of whoever is said to have opened a mail. */
export const openedBy = {ip: '127.0.0.1', userAgent: 'Mozilla/5.0 (tinbox)'} as const;
