import {randomUUID} from 'node:crypto';
import {type BounceKind, simulatorNames} from '../../contract/constants.js';
import {magicOf} from '../faults/address-fault.js';
import {canonicalAddress} from './address.js';
import type {Inbox} from './inbox.js';
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

/** What comes back for a recipient, and how long after the mail. */
type Answer = Omit<Bounce, 'recipients'> & {readonly delayMs: number};

const userUnknown = {kind: 'bounce', status: '5.1.1', reply: '550 5.1.1 User unknown', delayMs: 0} as const;

const complaint = {kind: 'complaint', status: '', delayMs: 0} as const;

const autoReply = {kind: 'autoreply', status: '', delayMs: 0} as const;

/** What the addresses of the simulator of Amazon SES do. */
const simulated: Readonly<Record<(typeof simulatorNames)[number], Answer | null>> = {
	success: null,
	bounce: userUnknown,
	suppressionlist: {...userUnknown, reply: '550 5.1.1 The address is on the suppression list'},
	complaint,
	ooto: autoReply,
};

/**
 * What the inbox has come back by itself for a message to these recipients, all of which led to it. Nothing does to `<>`.
 * With `hasMagic`, addresses may ask for it (`magicOf`).
 */
export function pendingBounces(
	{id: messageId, envelope, receivedAt}: Message,
	inbox: Inbox,
	recipients: readonly string[],
	hasMagic: boolean,
): readonly PendingBounce[] {
	const mayAsk = hasMagic && recipients.some(recipient => recipient.includes('+'));
	if (envelope.from === '' || !(inbox.bounce || inbox.simulator || mayAsk)) {
		return [];
	}

	const groups = new Map<string, {readonly answer: Answer; readonly recipients: string[]}>();
	for (const recipient of recipients) {
		const answer = (mayAsk && askedFor(inbox, recipient)) || answerOf(inbox, recipient);
		if (answer) {
			const key = JSON.stringify(answer);
			const group = groups.get(key) ?? {answer, recipients: []};
			group.recipients.push(recipient);
			groups.set(key, group);
		}
	}

	return [...groups.values()].map(({answer: {delayMs, ...answer}, recipients}) => {
		const dueAt = new Date(Date.parse(receivedAt) + delayMs).toISOString();
		return {...answer, recipients, id: randomUUID(), messageId, ownerId: inbox.ownerId, dueAt};
	});
}

/** What the address itself asks for, if it does. */
function askedFor({address}: Inbox, recipient: string): Answer | null {
	const magic = magicOf(recipient, address);
	switch (magic?.does) {
		case 'bounce': {
			const {code, enhanced, text} = magic.reply;
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

function answerOf({bounce, simulator}: Inbox, recipient: string): Answer | null {
	const [localPart] = canonicalAddress(recipient).split(/[+@]/, 1);
	const name = simulator ? simulatorNames.find(name => name === localPart) : undefined;
	if (name) {
		return simulated[name];
	}

	return bounce ? {kind: 'bounce', status: bounce.status, delayMs: bounce.delayMs} : null;
}
