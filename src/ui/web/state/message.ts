import type {EventBody} from '../../../contract/events.js';
import type {FaultHitBody} from '../../../contract/faults.js';
import type {FullMessageBody, MessageSummaryBody} from '../../../contract/messages.js';
import type {DeliveryBody, DeliverySummaryBody, EndpointBody} from '../../../contract/webhooks.js';
import type {MessageTab, OpenMessage} from './route.js';

/** Delivery of a message, with its endpoint. */
export type MessageDelivery = {readonly endpoint: EndpointBody; readonly delivery: DeliveryBody};

/** Fault hits on a message and on earlier attempts to send it, and the answers to it; newest first. */
export type MessageHistory = {readonly hits: readonly FaultHitBody[]; readonly answers: readonly MessageSummaryBody[]};

/** Parts of a message, which are read separately when they are shown. */
export type MessageParts = {
	readonly message: FullMessageBody;
	/** Beginning of the source. */
	readonly source: string;
	/** Path of the isolated preview of HTML and attachments, and the time (in milliseconds since 1970) until which it is used. */
	readonly preview: {readonly path: string; readonly until: number};
	readonly deliveries: readonly MessageDelivery[];
	readonly history: MessageHistory;
};

export type PartName = keyof MessageParts;

/** Result of reading a part. */
export type ReadPart<T> =
	/** The part changed before it was read. */
	| {readonly status: 'unread'}
	/** `isStale`: it may have changed since, and must be read again. */
	| {readonly status: 'read'; readonly value: T; readonly isStale?: true}
	| {readonly status: 'failed'; readonly reason: string; readonly kind: FailureKind};

/** The message was deleted; the daemon did not respond; or it returned another error. */
export type FailureKind = 'gone' | 'unanswered' | 'refused';

/** Message with the ids of its URL, and the parts that were read. */
export type KeptMessage = Omit<OpenMessage, 'tab'> & {
	readonly parts: {readonly [Name in PartName]?: ReadPart<MessageParts[Name]>};
};

export const frameWidths = {phone: 375, tablet: 768, desktop: undefined} as const;

export type FrameWidth = keyof typeof frameWidths;

/** Cache of the messages that were open last, newest first, and the width for HTML. */
export type MessageState = {readonly kept: readonly KeptMessage[]; readonly width: FrameWidth};

export const noMessage: MessageState = {kept: [], width: 'desktop'};

/** Maximum number of cached messages, and of bytes of mail in all but the newest. */
const maxKept = 20;
const maxKeptBytes = 32 * 1024 * 1024;

/** Cached message; undefined if there is none. */
export function keptMessage({kept}: MessageState, {inboxId, messageId}: OpenMessage): KeptMessage | undefined {
	return kept.find(each => each.inboxId === inboxId && each.messageId === messageId);
}

/** Cached part of a message. */
export function partOf<Name extends PartName>(
	state: MessageState,
	open: OpenMessage,
	name: Name,
): ReadPart<MessageParts[Name]> | undefined {
	return keptMessage(state, open)?.parts[name] as ReadPart<MessageParts[Name]> | undefined;
}

/** Caches a part of a message, which becomes the newest one. */
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

/** Changes the ids under which a message is cached. */
export function withOtherName(state: MessageState, open: OpenMessage, {inboxId, messageId}: OpenMessage): MessageState {
	const message = keptMessage(state, open);
	return {...state, kept: state.kept.map(each => (each === message ? {...each, inboxId, messageId} : each))};
}

function sizeOf({parts: {message}}: KeptMessage): number {
	return message?.status === 'read' ? message.value.size : 0;
}

/** True if a part must be read. */
export function isWanted(part: ReadPart<unknown> | undefined): boolean {
	return part?.status === 'read' ? part.isStale === true : part?.status !== 'failed';
}

/** Drops failed reads so that they are retried, unless the message was deleted. */
export function withoutFailures(state: MessageState): MessageState {
	const kept = state.kept.map(each => {
		const {message} = each.parts;
		const isGone = message?.status === 'failed' && message.kind === 'gone';
		const parts = Object.entries(each.parts).filter(([, part]) => part.status !== 'failed');
		return isGone || parts.length === Object.keys(each.parts).length
			? each
			: {...each, parts: Object.fromEntries(parts)};
	});
	return kept.every((each, index) => each === state.kept[index]) ? state : {...state, kept};
}

/** Requests that a part is read again, also if it is being read. */
export function withStalePart(state: MessageState, open: OpenMessage, name: PartName): MessageState {
	const part = partOf(state, open, name);
	return withPart(state, open, name, part?.status === 'read' ? {...part, isStale: true} : {status: 'unread'});
}

/** Applies events of the live feed to the cached messages. */
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

/** An unknown delivery may belong to the message if both have the same time. */
function afterDelivery(kept: KeptMessage, endpointId: string, delivery: DeliverySummaryBody): KeptMessage {
	const {message, deliveries} = kept.parts;
	const before = deliveries?.status === 'read' ? deliveries.value : [];
	const isKnown = before.some(each => each.delivery.id === delivery.id);
	if (!isKnown && (message?.status !== 'read' || delivery.created_at !== message.value.received_at)) {
		return kept;
	}

	const value = before.map(each =>
		each.delivery.id === delivery.id && each.endpoint.id === endpointId
			? {...each, delivery: {...each.delivery, ...delivery}}
			: each,
	);
	const part =
		deliveries?.status === 'read' ? ({status: 'read', value, isStale: true} as const) : ({status: 'unread'} as const);
	return {...kept, parts: {...kept.parts, deliveries: part}};
}

/** Tab to show: the requested one if the message has it, else HTML, text, or the source of a mail that could not be parsed. */
export function shownTab({html, text, attachments, warnings}: FullMessageBody, requested?: MessageTab): MessageTab {
	if (requested !== undefined && (requested !== 'html' || html !== '')) {
		return requested;
	}

	const isUnparsed = text === '' && attachments.length === 0 && warnings.length > 0;
	return html !== '' ? 'html' : isUnparsed ? 'source' : 'text';
}

/** Number shown beside the label of a tab; undefined for none. */
export function countOf(tab: MessageTab, {attachments, codes, links}: FullMessageBody): number | undefined {
	return tab === 'attachments' ? attachments.length : tab === 'codes' ? codes.length + links.length : undefined;
}
