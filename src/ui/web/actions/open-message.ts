import {ApiError} from '../../../client/errors.js';
import {type BounceKind, isUuid} from '../../../contract/constants.js';
import type {EventBody} from '../../../contract/events.js';
import type {FaultHitBody} from '../../../contract/faults.js';
import type {FullMessageBody, MessageSummaryBody} from '../../../contract/messages.js';
import type {DeliverySummaryBody} from '../../../contract/webhooks.js';
import {causeOf} from '../../../lib/errors.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import type {Finder, Web} from '../context.js';
import {type MessageTab, messageTabs, type OpenMessage} from '../state/route.js';
import type {
	CachedMessage,
	FailureKind,
	MessageDelivery,
	MessageParts,
	MessageState,
	PartName,
	ReadPart,
	WebState,
} from '../state/state.js';
import {openMessageIn} from './message-list.js';
import {notify} from './notices.js';

/** Opens a tab of the open message. */
export function showTab({store, go}: Web, tab: MessageTab): void {
	const {route} = store.get();
	if (route.screen === 'mail' && route.open) {
		go({...route, open: {...route.open, tab}}, 'replace');
	}
}

/** Opens the tab `by` places further on, cyclically. */
export function openTabBeside(web: Web, by: number): void {
	const message = openedMessage(web);
	if (message) {
		const tabs = tabsOf(message);
		const index = tabs.indexOf(shownTab(message, openMessageIn(web.store.get())?.tab)) + by;
		showTab(web, tabs.at(index % tabs.length) ?? 'text');
	}
}

/** Tabs of a message. */
export function tabsOf({html}: Pick<FullMessageBody, 'html'>): readonly MessageTab[] {
	return messageTabs.filter(tab => tab !== 'html' || html !== '');
}

/** Open message; undefined until it was read. */
export function openedMessage({store}: Pick<Web, 'store'>): FullMessageBody | undefined {
	return messageIn(store.get());
}

function messageIn(state: WebState): FullMessageBody | undefined {
	const open = openMessageIn(state);
	const part = open && partOf(state.message, open, 'message');
	return part?.status === 'read' ? part.value : undefined;
}

const bounceNotices: Readonly<Record<BounceKind, string>> = {
	bounce: 'Sent a bounce',
	complaint: 'Sent a spam complaint',
	autoreply: 'Sent an automatic reply',
};

/** Sends a bounce, a complaint or an automatic reply to the sender of a message. */
export async function bounceMessage(web: Web, open: OpenMessage, kind: BounceKind): Promise<void> {
	const {bounce, complain: complaint, autoreply} = web.api.messages;
	const {sender} = await {bounce, complaint, autoreply}[kind](open.inboxId, open.messageId);
	web.store.update(({message}) => ({message: withStalePart(message, open, 'history')}));
	notify(web, `${bounceNotices[kind]} to ${sanitizeLine(sender)}.`);
}

/** Opens the page of the message in a new browser tab. */
export function showPreview(web: Web): void {
	const path = previewPath(web);
	if (path !== undefined) {
		window.open(path, '_blank', 'noopener');
	}
}

/** Downloads the attachment that has the focus, else the first one. */
export function downloadAttachment(web: Web): void {
	const message = openedMessage(web);
	const [first] = message?.attachments ?? [];
	const link = document.activeElement?.closest('li')?.querySelector<HTMLAnchorElement>('a[download]');
	const path = previewPath(web);
	if (link) {
		link.click();
	} else if (message && !first) {
		notify(web, 'This message has no attachments.');
	} else if (first && path !== undefined) {
		download(`${path}/attachments/${encodeURIComponent(first.id)}`);
	}
}

/** Downloads the source of the open message. */
export function downloadMessage(web: Web): void {
	const path = previewPath(web);
	if (path !== undefined) {
		download(`${path}/raw`);
	}
}

/** Path of the isolated preview of the open message; undefined until it was read. */
function previewPath({store}: Web): string | undefined {
	const state = store.get();
	const open = openMessageIn(state);
	const part = open && partOf(state.message, open, 'preview');
	return part?.status === 'read' ? part.value.path : undefined;
}

function download(href: string): void {
	const link = document.createElement('a');
	link.href = href;
	link.download = '';
	link.click();
}

/** Delay before a message is read, so that moving through a list with a key reads only the last one. */
const restMs = 50;

/** Maximum size in bytes of a source that is shown; the download is complete. */
export const maxShownSource = 512 * 1024;

/** Time for which the link of a preview is used; the daemon accepts it for ten minutes. */
const previewMs = 8 * 60_000;

/** Maximum numbers of fault hits that are searched, and of answers that are shown. */
const maxHits = 100;
const maxAnswers = 20;

/** One finder for each part of the open message. */
export const missingParts = (['message', 'preview', 'source', 'deliveries', 'history'] as const).map(
	(name): Finder =>
		(state, api) =>
			missingPart(name, state, api),
);

function missingPart<Name extends PartName>(name: Name, ...[state, api]: Parameters<Finder>): ReturnType<Finder> {
	const open = openMessageIn(state);
	// The name of an inbox in a URL is about to be replaced by its id.
	if (open === undefined || !isUuid(open.inboxId) || !isShown(state, open, name)) {
		return undefined;
	}

	const before = partOf(state.message, open, name);
	if (!isWanted(before)) {
		return undefined;
	}

	return {
		name: `${open.inboxId} ${open.messageId}`,
		delayMs: name === 'message' || name === 'preview' ? restMs : 0,
		async read(signal) {
			const value = await partReaders[name](api, open, signal, messageIn(state));
			return ({message}) => {
				// After a change meanwhile, the value may be outdated.
				const isStale = partOf(message, open, name) !== before;
				return {message: withPart(message, open, name, {status: 'read', value, ...(isStale && {isStale})})};
			};
		},
		failed:
			error =>
			({message}) => ({
				message: withPart(message, open, name, {status: 'failed', reason: causeOf(error), kind: kindOf(error)}),
			}),
	};
}

/** True if the page shows the part, in the open tab or beside it. */
function isShown(state: WebState, open: OpenMessage, name: PartName): boolean {
	const message = messageIn(state);
	const tab = message && shownTab(message, open.tab);
	switch (name) {
		case 'message':
		case 'preview':
			return true;
		case 'source': {
			const part = partOf(state.message, open, 'message');
			return tab === 'source' || (part?.status === 'failed' && part.kind === 'refused');
		}

		case 'deliveries':
			return tab === 'webhooks';
		case 'history':
			return tab === 'session';
	}
}

function kindOf(error: unknown): FailureKind {
	const code = error instanceof ApiError ? error.code : undefined;
	return code === undefined ? 'unanswered' : code === 'not_found' ? 'gone' : 'refused';
}

type PartReaders = {
	readonly [Name in PartName]: (
		api: Web['api'],
		open: OpenMessage,
		signal: AbortSignal,
		message: FullMessageBody | undefined,
	) => Promise<MessageParts[Name]>;
};

const partReaders: PartReaders = {
	message: async ({messages}, {inboxId, messageId}, signal) => messages.get(inboxId, messageId, {}, signal),
	source: async ({messages}, {inboxId, messageId}, signal) =>
		beginningOf(await messages.rawStream(inboxId, messageId, signal)),
	async preview({messages}, {inboxId, messageId}) {
		const {url} = await messages.preview(inboxId, messageId);
		return {path: new URL(url).pathname, until: Date.now() + previewMs};
	},
	deliveries: async (api, _, __, message) => (message ? deliveriesOf(api, message) : []),
	history: async (api, _, __, message) =>
		message ? {hits: await hitsOf(api, message), answers: await answersTo(api, message)} : {hits: [], answers: []},
};

async function beginningOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
	const decoder = new TextDecoder();
	let text = '';
	let room = maxShownSource;
	for await (const chunk of chunks) {
		text += decoder.decode(chunk.subarray(0, room), {stream: true});
		room -= chunk.length;
		if (room <= 0) {
			break;
		}
	}

	return text;
}

/** Deliveries of the message to the endpoints of the user, newest endpoint first. */
async function deliveriesOf({webhooks}: Web['api'], {id}: FullMessageBody): Promise<readonly MessageDelivery[]> {
	const {endpoints} = await webhooks.list();
	const found = await Promise.all(
		endpoints.map(async endpoint => {
			const {deliveries} = await webhooks.deliveries(endpoint.id, {message_id: id});
			return deliveries.map(delivery => ({endpoint, delivery}));
		}),
	);
	return found.flat();
}

/** Hits of faults on the message, or on earlier rejected mail of the same sender to one of its recipients. */
async function hitsOf({faults}: Web['api'], message: FullMessageBody): Promise<readonly FaultHitBody[]> {
	const {hits} = await faults.hits(message.inbox_id, {limit: maxHits});
	const {from, to} = message.envelope;
	return hits.filter(
		({message_id: id, envelope, time}) =>
			id === message.id ||
			(id === null &&
				time <= message.received_at &&
				envelope.from === from &&
				envelope.to.some(address => to.includes(address))),
	);
}

/** Bounces, complaints and replies to the message, in any inbox. */
async function answersTo({messages}: Web['api'], message: FullMessageBody): Promise<readonly MessageSummaryBody[]> {
	const {envelope, message_id: messageId, received_at: after} = message;
	if (envelope.from === '' || messageId === '') {
		return [];
	}

	const header = [`In-Reply-To: <${messageId}>`];
	return messages.summariesOfAll({to: envelope.from, header, after, limit: maxAnswers});
}

/** Maximum number of cached messages, and of bytes of mail in all but the newest. */
const maxCached = 20;
const maxCachedBytes = 32 * 1024 * 1024;

/** Cached message; undefined if there is none. */
export function cachedMessage({cached}: MessageState, {inboxId, messageId}: OpenMessage): CachedMessage | undefined {
	return cached.find(each => each.inboxId === inboxId && each.messageId === messageId);
}

/** Cached part of a message. */
export function partOf<Name extends PartName>(
	state: MessageState,
	open: OpenMessage,
	name: Name,
): ReadPart<MessageParts[Name]> | undefined {
	return cachedMessage(state, open)?.parts[name] as ReadPart<MessageParts[Name]> | undefined;
}

/** Caches a part of a message, which becomes the newest one. */
export function withPart<Name extends PartName>(
	state: MessageState,
	open: OpenMessage,
	name: Name,
	part: ReadPart<MessageParts[Name]>,
): MessageState {
	const {inboxId, messageId} = open;
	const before = cachedMessage(state, open);
	const newest = {inboxId, messageId, parts: {...before?.parts, [name]: part}};
	let room = maxCachedBytes;
	const others = state.cached.filter(each => {
		room -= each === before ? 0 : sizeOf(each);
		return each !== before && room >= 0;
	});
	return {...state, cached: [newest, ...others].slice(0, maxCached)};
}

/** Changes the ids under which a message is cached. */
export function withCacheKey(state: MessageState, open: OpenMessage, {inboxId, messageId}: OpenMessage): MessageState {
	const message = cachedMessage(state, open);
	return {...state, cached: state.cached.map(each => (each === message ? {...each, inboxId, messageId} : each))};
}

function sizeOf({parts: {message}}: CachedMessage): number {
	return message?.status === 'read' ? message.value.size : 0;
}

/** True if a part must be read. */
export function isWanted(part: ReadPart<unknown> | undefined): boolean {
	return part?.status === 'read' ? part.isStale === true : part?.status !== 'failed';
}

/** Drops failed reads so that they are retried, unless the message was deleted. */
export function withoutFailures(state: MessageState): MessageState {
	const cached = state.cached.map(each => {
		const {message} = each.parts;
		const isGone = message?.status === 'failed' && message.kind === 'gone';
		const parts = Object.entries(each.parts).filter(([, part]) => part.status !== 'failed');
		return isGone || parts.length === Object.keys(each.parts).length
			? each
			: {...each, parts: Object.fromEntries(parts)};
	});
	return cached.every((each, index) => each === state.cached[index]) ? state : {...state, cached};
}

/** Requests that a part is read again, also if it is being read. */
export function withStalePart(state: MessageState, open: OpenMessage, name: PartName): MessageState {
	const part = partOf(state, open, name);
	return withPart(state, open, name, part?.status === 'read' ? {...part, isStale: true} : {status: 'unread'});
}

/** Applies events of the live feed to the cached messages. */
export function withCachedEvents(state: MessageState, events: readonly EventBody[]): MessageState {
	const cached = state.cached.map(each => events.reduce(afterEvent, each));
	return cached.every((each, index) => each === state.cached[index]) ? state : {...state, cached};
}

const deleted = {status: 'failed', reason: 'It was deleted.', kind: 'gone'} as const;
const evicted = {...deleted, reason: 'It exceeded the number or age of messages that the inbox keeps.'} as const;

function afterEvent(cached: CachedMessage, event: EventBody): CachedMessage {
	const {message} = cached.parts;
	const {id = cached.messageId, inbox_id: inboxId = cached.inboxId} = message?.status === 'read' ? message.value : {};
	switch (event.type) {
		case 'message.deleted':
			return event.message_id === id
				? {...cached, parts: {message: event.reason === 'evicted' ? evicted : deleted}}
				: cached;
		case 'messages.deleted':
		case 'inbox.deleted':
			return event.inbox_id === inboxId ? {...cached, parts: {}} : cached;
		case 'delivery.changed':
			return afterDelivery(cached, event.endpoint_id, event.delivery);
		default:
			return cached;
	}
}

/** An unknown delivery may belong to the message if both have the same time. */
function afterDelivery(cached: CachedMessage, endpointId: string, delivery: DeliverySummaryBody): CachedMessage {
	const {message, deliveries} = cached.parts;
	const before = deliveries?.status === 'read' ? deliveries.value : [];
	const isKnown = before.some(each => each.delivery.id === delivery.id);
	if (!isKnown && (message?.status !== 'read' || delivery.created_at !== message.value.received_at)) {
		return cached;
	}

	const value = before.map(each =>
		each.delivery.id === delivery.id && each.endpoint.id === endpointId
			? {...each, delivery: {...each.delivery, ...delivery}}
			: each,
	);
	const part =
		deliveries?.status === 'read' ? ({status: 'read', value, isStale: true} as const) : ({status: 'unread'} as const);
	return {...cached, parts: {...cached.parts, deliveries: part}};
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
