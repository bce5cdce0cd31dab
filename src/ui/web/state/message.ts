import type {EventBody} from '../../../contract/events.js';
import type {FaultHitBody} from '../../../contract/faults.js';
import type {FullMessageBody, MessageSummaryBody} from '../../../contract/messages.js';
import type {DeliveryBody, DeliverySummaryBody, EndpointBody} from '../../../contract/webhooks.js';
import type {MessageTab, OpenMessage} from './route.js';

/** A delivery that announces a message, and where it goes. */
export type MessageDelivery = {readonly endpoint: EndpointBody; readonly delivery: DeliveryBody};

/** What faults did to a message or to those who tried to send it before, and what came back for it, each the newest first. */
export type MessageHistory = {readonly hits: readonly FaultHitBody[]; readonly answers: readonly MessageSummaryBody[]};

/** What is read of a message, each when somebody wants to see it. */
export type MessageParts = {
	readonly message: FullMessageBody;
	/** The beginning of its source, as text. */
	readonly source: string;
	/** Where its HTML and attachments are shown in isolation: a path, and until when (milliseconds since 1970) it is used. */
	readonly preview: {readonly path: string; readonly until: number};
	readonly deliveries: readonly MessageDelivery[];
	readonly history: MessageHistory;
};

export type PartName = keyof MessageParts;

/** A part as it was read, or why it was not. */
export type ReadPart<T> =
	/** It changed before it was read: what is under way may not know. */
	| {readonly status: 'unread'}
	/** `isStale`: it may have changed since, and is to be read again. */
	| {readonly status: 'read'; readonly value: T; readonly isStale?: true}
	| {readonly status: 'failed'; readonly reason: string; readonly kind: FailureKind};

/** The message is not there, for good; nobody answered; or the daemon could not give it. */
export type FailureKind = 'gone' | 'unanswered' | 'refused';

/** A message, named as in its address, and what was read of it. */
export type KeptMessage = Omit<OpenMessage, 'tab'> & {
	readonly parts: {readonly [Name in PartName]?: ReadPart<MessageParts[Name]>};
};

export const frameWidths = {phone: 375, tablet: 768, desktop: undefined} as const;

export type FrameWidth = keyof typeof frameWidths;

/** The messages that were open lately, so that going back to one costs nothing, and how wide HTML is shown. */
export type MessageState = {readonly kept: readonly KeptMessage[]; readonly width: FrameWidth};

export const noMessage: MessageState = {kept: [], width: 'desktop'};

/** Messages that are kept, and how many bytes of mail besides the newest of them. */
const maxKept = 20;
const maxKeptBytes = 32 * 1024 * 1024;

/** What is known of a message; undefined when it was not open lately. */
export function keptMessage({kept}: MessageState, {inboxId, messageId}: OpenMessage): KeptMessage | undefined {
	return kept.find(each => each.inboxId === inboxId && each.messageId === messageId);
}

/** A part as it was read last. */
export function partOf<Name extends PartName>(
	state: MessageState,
	open: OpenMessage,
	name: Name,
): ReadPart<MessageParts[Name]> | undefined {
	return keptMessage(state, open)?.parts[name] as ReadPart<MessageParts[Name]> | undefined;
}

/** With a part of a message, which is then the newest that is kept. */
export function withPart<Name extends PartName>(
	state: MessageState,
	open: OpenMessage,
	name: Name,
	part: ReadPart<MessageParts[Name]>,
): MessageState {
	const {inboxId, messageId} = open;
	const before = keptMessage(state, open);
	const newest = {inboxId, messageId, parts: {...before?.parts, [name]: part}};
	let room = maxKeptBytes;
	const others = state.kept.filter(each => {
		room -= each === before ? 0 : sizeOf(each);
		return each !== before && room >= 0;
	});
	return {...state, kept: [newest, ...others].slice(0, maxKept)};
}

/** With a message under another name. */
export function withOtherName(state: MessageState, open: OpenMessage, {inboxId, messageId}: OpenMessage): MessageState {
	const known = keptMessage(state, open);
	return {...state, kept: state.kept.map(each => (each === known ? {...each, inboxId, messageId} : each))};
}

function sizeOf({parts: {message}}: KeptMessage): number {
	return message?.status === 'read' ? message.value.size : 0;
}

/** Whether a part is to be read: it was not yet, or may have changed since. */
export function isWanted(part: ReadPart<unknown> | undefined): boolean {
	return part?.status === 'read' ? part.isStale === true : part?.status !== 'failed';
}

/** Has all that could not be read be read again, but for what is not there any more. */
export function withoutFailures(state: MessageState): MessageState {
	const kept = state.kept.map(each => {
		const {message} = each.parts;
		const isGone = message?.status === 'failed' && message.kind === 'gone';
		const left = Object.entries(each.parts).filter(([, part]) => part.status !== 'failed');
		return isGone || left.length === Object.keys(each.parts).length ? each : {...each, parts: Object.fromEntries(left)};
	});
	return kept.every((each, index) => each === state.kept[index]) ? state : {...state, kept};
}

/** Has a part of a message be read again, or anew if it is being read. */
export function withStalePart(state: MessageState, open: OpenMessage, name: PartName): MessageState {
	const part = partOf(state, open, name);
	return withPart(state, open, name, part?.status === 'read' ? {...part, isStale: true} : {status: 'unread'});
}

/** Takes in what the live feed told of the messages that are kept. */
export function withKeptEvents(state: MessageState, events: readonly EventBody[]): MessageState {
	const kept = state.kept.map(each => events.reduce(afterEvent, each));
	return kept.every((each, index) => each === state.kept[index]) ? state : {...state, kept};
}

const deleted = {status: 'failed', reason: 'It was deleted.', kind: 'gone'} as const;
const evicted = {...deleted, reason: 'It exceeded the number or age of messages that the inbox keeps.'} as const;

function afterEvent(kept: KeptMessage, event: EventBody): KeptMessage {
	const {message} = kept.parts;
	const {id = kept.messageId, inbox_id: inboxId = kept.inboxId} = message?.status === 'read' ? message.value : {};
	switch (event.type) {
		case 'message.deleted':
			return event.message_id === id
				? {...kept, parts: {message: event.reason === 'evicted' ? evicted : deleted}}
				: kept;
		case 'messages.deleted':
		case 'inbox.deleted':
			return event.inbox_id === inboxId ? {...kept, parts: {}} : kept;
		case 'delivery.changed':
			return afterDelivery(kept, event.endpoint_id, event.delivery);
		default:
			return kept;
	}
}

/** A delivery that is not known may announce the message when both were made at the same moment. */
function afterDelivery(kept: KeptMessage, endpointId: string, delivery: DeliverySummaryBody): KeptMessage {
	const {message, deliveries} = kept.parts;
	const known = deliveries?.status === 'read' ? deliveries.value : [];
	const isKnown = known.some(each => each.delivery.id === delivery.id);
	if (!isKnown && (message?.status !== 'read' || delivery.created_at !== message.value.received_at)) {
		return kept;
	}

	const value = known.map(each =>
		each.delivery.id === delivery.id && each.endpoint.id === endpointId
			? {...each, delivery: {...each.delivery, ...delivery}}
			: each,
	);
	const part =
		deliveries?.status === 'read' ? ({status: 'read', value, isStale: true} as const) : ({status: 'unread'} as const);
	return {...kept, parts: {...kept.parts, deliveries: part}};
}

/** The tab that is shown: the one that is asked for, if the message has it; else its HTML, its text, or of a mail that could not be read its source. */
export function shownTab({html, text, attachments, warnings}: FullMessageBody, asked?: MessageTab): MessageTab {
	if (asked !== undefined && (asked !== 'html' || html !== '')) {
		return asked;
	}

	const isUnread = text === '' && attachments.length === 0 && warnings.length > 0;
	return html !== '' ? 'html' : isUnread ? 'source' : 'text';
}

/** How much is in a tab, where that is a number. */
export function countOf(tab: MessageTab, {attachments, codes, links}: FullMessageBody): number | undefined {
	return tab === 'attachments' ? attachments.length : tab === 'codes' ? codes.length + links.length : undefined;
}
