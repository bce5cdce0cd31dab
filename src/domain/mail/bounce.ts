import {randomUUID} from 'node:crypto';
import {type BounceKind, simulatorNames} from '../../contract/constants.js';
import {addressRequestOf} from '../faults/address-fault.js';
import {canonicalAddress} from './address.js';
import type {Inbox} from './inbox.js';
import type {Message} from './message.js';

/** Bounce, complaint or auto-reply to the envelope sender of a mail. */
export type Bounce = {
	readonly kind: BounceKind;
	/** Envelope recipients that it concerns. */
	readonly recipients: readonly string[];
	/** Enhanced status code of a bounce (RFC 3463); ignored for other kinds. */
	readonly status: string;
	/** Reply of the simulated remote server, on one line; undefined for the usual text of the status. */
	readonly reply?: string;
};

/** Bounce that is scheduled, stored with its message. */
export type PendingBounce = Bounce & {
	readonly id: string;
	readonly messageId: string;
	/** Owner of the inbox. */
	readonly ownerId: string;
	readonly dueAt: string;
};

/** Part of a message from which a bounce is built. */
export type BouncedMail = Pick<Message, 'envelope' | 'session' | 'receivedAt' | 'summary'>;

/**
 * Sends a mail with an empty sender (`<>`) to one recipient through the server of a URL such as `smtp://localhost:2525`.
 * Throws `invalid_input` if the target is not allowed, and `undelivered` with the reason if the server rejects the mail.
 */
export type SendMail = (mail: {
	/** User who caused the mail. */
	readonly userId: string;
	readonly to: string;
	readonly recipient: string;
	readonly source: Buffer;
}) => Promise<void>;

/** Converts a text to one line of printable ASCII, for reports. */
export function reportLine(text: string): string {
	return text.replace(/[^\x20-\x7e]/gu, '?');
}

/** Formats a time for a mail header (RFC 5322, section 3.3). */
export function mailDate(time: Date): string {
	return time.toUTCString().replace('GMT', '+0000');
}

/** Reaction to a mail to one recipient. */
type Reaction = Omit<Bounce, 'recipients'> & {readonly delayMs: number};

const userUnknown = {kind: 'bounce', status: '5.1.1', reply: '550 5.1.1 User unknown', delayMs: 0} as const;

const complaint = {kind: 'complaint', status: '', delayMs: 0} as const;

const autoReply = {kind: 'autoreply', status: '', delayMs: 0} as const;

/** Reactions of the Amazon SES simulator addresses. */
const simulated: Readonly<Record<(typeof simulatorNames)[number], Reaction | null>> = {
	success: null,
	bounce: userUnknown,
	suppressionlist: {...userUnknown, reply: '550 5.1.1 The address is on the suppression list'},
	complaint,
	ooto: autoReply,
};

/**
 * Returns the bounces that an inbox sends for a message to these recipients of it. A mail from `<>` gets none. With
 * `hasRequests`, addresses may request a reaction (see `addressRequestOf`).
 */
export function pendingBounces(
	{id: messageId, envelope, receivedAt}: Message,
	inbox: Inbox,
	recipients: readonly string[],
	hasRequests: boolean,
): readonly PendingBounce[] {
	const mayRequest = hasRequests && recipients.some(recipient => recipient.includes('+'));
	if (envelope.from === '' || !(inbox.bounce || inbox.simulator || mayRequest)) {
		return [];
	}

	const groups = new Map<string, {readonly reaction: Reaction; readonly recipients: string[]}>();
	for (const recipient of recipients) {
		const reaction = (mayRequest && requestedReaction(inbox, recipient)) || reactionOf(inbox, recipient);
		if (reaction) {
			const key = JSON.stringify(reaction);
			const group = groups.get(key) ?? {reaction, recipients: []};
			group.recipients.push(recipient);
			groups.set(key, group);
		}
	}

	return [...groups.values()].map(({reaction: {delayMs, ...reaction}, recipients}) => {
		const dueAt = new Date(Date.parse(receivedAt) + delayMs).toISOString();
		return {...reaction, recipients, id: randomUUID(), messageId, ownerId: inbox.ownerId, dueAt};
	});
}

/** Returns the reaction that the address requests, if any. */
function requestedReaction({address}: Inbox, recipient: string): Reaction | null {
	const request = addressRequestOf(recipient, address);
	switch (request?.does) {
		case 'bounce': {
			const {code, enhanced, text} = request.reply;
			return {kind: 'bounce', status: enhanced, reply: `${code} ${enhanced} ${text}`, delayMs: 0};
		}

		case 'complain':
			return complaint;
		case 'autoreply':
			return autoReply;
		default:
			return null;
	}
}

function reactionOf({bounce, simulator}: Inbox, recipient: string): Reaction | null {
	const [localPart] = canonicalAddress(recipient).split(/[+@]/, 1);
	const name = simulator ? simulatorNames.find(name => name === localPart) : undefined;
	if (name) {
		return simulated[name];
	}

	return bounce ? {kind: 'bounce', status: bounce.status, delayMs: bounce.delayMs} : null;
}
