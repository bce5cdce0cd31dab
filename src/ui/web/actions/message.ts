import {ApiError} from '../../../client/errors.js';
import type {BounceBody} from '../../../contract/bounces.js';
import type {BounceKind} from '../../../contract/constants.js';
import type {FaultHitBody} from '../../../contract/faults.js';
import type {FullMessageBody, MessageSummaryBody} from '../../../contract/messages.js';
import {causeOf} from '../../../lib/errors.js';
import {sanitizeLine} from '../../../lib/text/sanitize.js';
import {sleep} from '../../../lib/time/sleep.js';
import type {Web} from '../context.js';
import {
	type FailureKind,
	type MessageDelivery,
	type MessageParts,
	type PartName,
	partOf,
	shownTab,
	withPart,
	withStalePart,
} from '../state/message.js';
import {openIn} from '../state/open-list.js';
import {type MessageTab, messageTabs, type OpenMessage} from '../state/route.js';
import {isLoggedOut, tell} from './notices.js';

/** How long a message is open before it is read, so that passing by costs nothing. */
const restMs = 50;

/** Bytes of a source that are shown; the download has all of it. */
export const maxShownSource = 512 * 1024;

/** How long a link to a preview is used; it works for ten minutes. */
const previewMs = 8 * 60_000;

/** Hits of faults that are looked through, and answers that are shown. */
const maxHits = 100;
const maxAnswers = 20;

type Reads = {
	readonly [Name in PartName]: (
		api: Web['api'],
		open: OpenMessage,
		signal: AbortSignal,
		message: FullMessageBody | undefined,
	) => Promise<MessageParts[Name]>;
};

const reads: Reads = {
	async message({messages}, {inboxId, messageId}, signal) {
		await sleep(restMs, signal);
		return messages.get(inboxId, messageId, {}, signal);
	},
	async source({messages}, {inboxId, messageId}, signal) {
		return startOf(await messages.rawStream(inboxId, messageId, signal));
	},
	async preview({messages}, {inboxId, messageId}, signal) {
		await sleep(restMs, signal);
		const {url} = await messages.preview(inboxId, messageId);
		return {path: new URL(url).pathname, until: Date.now() + previewMs};
	},
	deliveries: async (api, _, __, message) => (message ? deliveriesOf(api, message) : []),
	history: async (api, _, __, message) =>
		message ? {hits: await hitsOf(api, message), answers: await answersTo(api, message)} : {hits: [], answers: []},
};

/** Reads a part of a message. What comes after the signal aborted is dropped. */
export async function readPart(
	{store, api}: Web,
	open: OpenMessage,
	name: PartName,
	signal: AbortSignal,
): Promise<void> {
	const read = partOf(store.get().message, open, 'message');
	try {
		const value = await reads[name](api, open, signal, read?.status === 'read' ? read.value : undefined);
		if (!signal.aborted) {
			store.update(state => ({message: withPart(state.message, open, name, {status: 'read', value})}));
		}
	} catch (error) {
		if (!signal.aborted && !isLoggedOut(error)) {
			const failed = {status: 'failed', reason: causeOf(error), kind: kindOf(error)} as const;
			store.update(state => ({message: withPart(state.message, open, name, failed)}));
		}
	}
}

function kindOf(error: unknown): FailureKind {
	const code = error instanceof ApiError ? error.code : undefined;
	return code === undefined ? 'unanswered' : code === 'not_found' ? 'gone' : 'refused';
}

async function startOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
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

/** The deliveries that announce the message to endpoints of the user, the newest endpoint first. */
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

/** What faults of the inbox did to the message, or before it to mail of the same sender to one of its recipients. */
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

/** What came back to the sender, in whichever inbox: bounces, complaints and replies. */
async function answersTo({messages}: Web['api'], message: FullMessageBody): Promise<readonly MessageSummaryBody[]> {
	const {envelope, message_id: messageId, received_at: after} = message;
	if (envelope.from === '' || messageId === '') {
		return [];
	}

	const header = [`In-Reply-To: <${messageId}>`];
	return messages.summariesOfAll({to: envelope.from, header, after, limit: maxAnswers});
}

/** Opens a tab of the open message. */
export function showTab({store, go}: Web, tab: MessageTab): void {
	const {route} = store.get();
	if (route.screen === 'mail' && route.open) {
		go({...route, open: {...route.open, tab}}, 'replace');
	}
}

/** The message that is open, once it was read. */
export function openedMessage({store}: Pick<Web, 'store'>): FullMessageBody | undefined {
	const state = store.get();
	const open = openIn(state);
	const part = open && partOf(state.message, open, 'message');
	return part?.status === 'read' ? part.value : undefined;
}

/** The tabs that a message has. */
export function tabsOf({html}: Pick<FullMessageBody, 'html'>): readonly MessageTab[] {
	return messageTabs.filter(tab => tab !== 'html' || html !== '');
}

/** Opens the tab that is so many further on; after the last comes the first. */
export function openTabBeside(web: Web, by: number): void {
	const message = openedMessage(web);
	if (message) {
		const there = tabsOf(message);
		const index = there.indexOf(shownTab(message, openIn(web.store.get())?.tab)) + by;
		showTab(web, there.at(index % there.length) ?? 'text');
	}
}

/** Opens the page of the message in a tab of its own. */
export function showPreview(web: Web): void {
	const path = previewPath(web);
	if (path !== undefined) {
		window.open(path, '_blank', 'noopener');
	}
}

/** Downloads the first attachment, or the one that the keyboard is at. */
export function fetchAttachment(web: Web): void {
	const message = openedMessage(web);
	const [first] = message?.attachments ?? [];
	const link = document.activeElement?.closest('li')?.querySelector<HTMLAnchorElement>('a[download]');
	const path = previewPath(web);
	if (link) {
		link.click();
	} else if (message && !first) {
		tell(web, 'This message has no attachments.');
	} else if (first && path !== undefined) {
		download(`${path}/attachments/${encodeURIComponent(first.id)}`);
	}
}

/** Downloads the open message as it was received. */
export function fetchMessage(web: Web): void {
	const path = previewPath(web);
	if (path !== undefined) {
		download(`${path}/raw`);
	}
}

/** Where the open message is shown in isolation, once that is known. */
function previewPath({store}: Web): string | undefined {
	const state = store.get();
	const open = openIn(state);
	const part = open && partOf(state.message, open, 'preview');
	return part?.status === 'read' ? part.value.path : undefined;
}

function download(href: string): void {
	const link = document.createElement('a');
	link.href = href;
	link.download = '';
	link.click();
}

const words: Readonly<Record<BounceKind, string>> = {
	bounce: 'Sent a bounce',
	complaint: 'Sent a spam complaint',
	autoreply: 'Sent an automatic reply',
};

/** Has a bounce, a complaint or an automatic reply come back to the sender, and says so. */
export async function bounceMessage(web: Web, open: OpenMessage, kind: BounceKind): Promise<void> {
	const {sender} = await sent(web.api, open, kind);
	web.store.update(({message}) => ({message: withStalePart(message, open, 'history')}));
	tell(web, `${words[kind]} to ${sanitizeLine(sender)}.`);
}

async function sent(
	{messages}: Web['api'],
	{inboxId, messageId: id}: OpenMessage,
	kind: BounceKind,
): Promise<BounceBody> {
	switch (kind) {
		case 'bounce':
			return messages.bounce(inboxId, id);
		case 'complaint':
			return messages.complain(inboxId, id);
		case 'autoreply':
			return messages.autoreply(inboxId, id);
	}
}
