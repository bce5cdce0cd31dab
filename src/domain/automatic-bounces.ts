import {randomUUID} from 'node:crypto';
import {simulatorNames} from '../contract/constants.js';
import {canonicalAddress} from './address.js';
import type {Bounce, PendingBounce} from './bounce.js';
import type {Inbox} from './inbox.js';
import {magicOf} from './magic-address.js';
import type {Message} from './message.js';

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
