import {ApiError} from '../../../client/errors.js';
import type {FaultHitBody} from '../../../contract/faults.js';
import type {FullMessageBody, MessageSummaryBody} from '../../../contract/messages.js';
import {causeOf} from '../../../lib/errors.js';
import {sleep} from '../../../lib/sleep.js';
import {
	type FailureKind,
	type MessageDelivery,
	type MessageParts,
	type PartName,
	partOf,
	withPart,
} from '../state/message.js';
import type {MessageTab, OpenMessage} from '../state/route.js';
import type {Web} from '../web.js';
import {isLoggedOut} from './attempt.js';

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
