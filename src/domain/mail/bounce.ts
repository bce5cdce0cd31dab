import {randomUUID} from 'node:crypto';
import {type BounceKind, simulatorNames} from '../../contract/constants.js';
import {addressRequestOf} from '../faults/address-fault.js';
import {canonicalAddress} from './address.js';
import type {Inbox} from './inbox.js';
import type {Message} from './message.js';

/** Answer of the simulated remote server for a recipient. */
export type RecipientReply = {
	/** Enhanced status code of a bounce (RFC 3463); ignored for other kinds. */
	readonly status: string;
	/** Reply on one line; undefined for the usual text of the status. */
	readonly reply?: string;
};

/** Bounce, complaint or auto-reply to the envelope sender of a mail. */
export type Bounce = RecipientReply & {
	readonly kind: BounceKind;
	/** Envelope recipients that it concerns. */
	readonly recipients: readonly string[];
	/** Replies for recipients whose reply differs, by address. They have the same class of status. */
	readonly replies?: Readonly<Record<string, RecipientReply>>;
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

/** Reaction to a mail to one recipient. */
type Reaction = RecipientReply & {readonly kind: BounceKind; readonly delayMs: number};

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
 * Returns the bounces that an inbox sends for a message to these recipients of it: one for each kind, class of status and delay,
 * so that a mail to many recipients does not multiply. A mail from `<>` gets none. With `allowsFaultAddresses`, addresses may request a
 * reaction (see `addressRequestOf`).
 */
export function pendingBounces(
	{id: messageId, envelope, receivedAt}: Message,
	inbox: Inbox,
	recipients: readonly string[],
	allowsFaultAddresses: boolean,
): readonly PendingBounce[] {
	const mayRequest = allowsFaultAddresses && recipients.some(recipient => recipient.includes('+'));
	if (envelope.from === '' || !(inbox.bounce || inbox.simulator || mayRequest)) {
		return [];
	}

	const groups = new Map<string, Array<Reaction & {readonly recipient: string}>>();
	for (const recipient of recipients) {
		const reaction = (mayRequest && requestedReaction(inbox, recipient)) || reactionOf(inbox, recipient);
		if (reaction) {
			const key = `${reaction.kind} ${reaction.status.charAt(0)} ${reaction.delayMs}`;
			groups.set(key, [...(groups.get(key) ?? []), {...reaction, recipient}]);
		}
	}

	return [...groups.values()].flatMap(reactions => {
		const [first] = reactions;
		if (!first) {
			return [];
		}

		const {recipient: _, delayMs, ...reaction} = first;
		const others = reactions.filter(({status, reply}) => status !== first.status || reply !== first.reply);
		const replies = others.map(({recipient, status, reply}) => [recipient, {status, ...(reply && {reply})}] as const);
		return {
			...reaction,
			recipients: reactions.map(({recipient}) => recipient),
			...(replies.length > 0 && {replies: Object.fromEntries(replies)}),
			id: randomUUID(),
			messageId,
			ownerId: inbox.ownerId,
			dueAt: new Date(Date.parse(receivedAt) + delayMs).toISOString(),
		};
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
