import type {BounceBody, CreateBounce, CreateReply} from '../contract/bounces.js';
import type {FullMessageBody, MessageBody, MissesBody, PreviewBody} from '../contract/messages.js';
import {type Caller, path} from './caller.js';
import {assertFilter, type ClientFilter, type ClientQuery, patternOf, type Wanted, wireQuery} from './filter.js';
import {assertKnown} from './options.js';
import {poll} from './poll.js';

export type WaitLimits = {readonly timeoutMs: number; readonly signal?: AbortSignal | undefined};

/** How much later than asked for the answer of a held list may come. */
const graceMs = 15_000;

/** How long it may take to delete very many. */
const deleteAllMs = 10 * 60_000;

/** The messages of the inboxes that the API key's user sees. An address may stand for the id of an inbox, `latest` for that of a message. */
export function messagesClient({json, done, bytes}: Caller) {
	const auth = 'key';
	const list = (inboxId: string, query: ClientQuery = {}, signal?: AbortSignal) =>
		json<readonly MessageBody[]>(
			{
				method: 'GET',
				path: path`/inboxes/${inboxId}/messages`,
				auth,
				query: wireQuery(query),
				signal,
				deadlineMs: (query.wait ?? 0) * 1000 + graceMs,
			},
			[{}],
		);
	/**
	 * The newest `count` matches (`maxLimit` at most) in the order they came, as soon as there are so many; fewer when the
	 * time is over. Rejects when the signal aborts.
	 */
	const collect = async (
		inboxId: string,
		filter: ClientFilter,
		limits: WaitLimits & {readonly count: number},
	): Promise<readonly MessageBody[]> => {
		assertKnown(limits, ['count', 'timeoutMs', 'signal']);
		assertFilter(filter);
		const {count, timeoutMs, signal} = limits;
		if (!Number.isFinite(timeoutMs) || timeoutMs < 0) {
			throw new TypeError(`"timeoutMs" must be a number of 0 or more, not ${timeoutMs}.`);
		}

		let found: readonly MessageBody[] = [];
		const look = async (wait: number, pollSignal: AbortSignal | undefined) => {
			const after = found.at(-1)?.id ?? filter.after;
			const rows = await list(inboxId, {...filter, after, limit: count - found.length, wait}, pollSignal);
			found = [...found, ...rows.toReversed()];
			return found.length < count ? undefined : found;
		};
		await poll(look, timeoutMs, signal);
		return found;
	};
	const comesBack = (what: string, inboxId: string, id: string, body: CreateBounce) =>
		json<BounceBody>({method: 'POST', path: path`/inboxes/${inboxId}/messages/${id}/${what}`, auth, body});
	return {
		list,
		collect,
		/** The newest match, as soon as there is one; undefined when the time is over. Rejects when the signal aborts. */
		wait: async (inboxId: string, filter: ClientFilter, limits: WaitLimits) =>
			(await collect(inboxId, filter, {...limits, count: 1}))[0],
		/** The newest messages that do not match and why, the nearest misses first; what was refused, and what faults did, since then (ISO 8601). */
		misses: async (
			inboxId: string,
			filter: ClientFilter,
			limits: {readonly limit?: number; readonly since?: string | undefined} = {},
		) => {
			const query = {...wireQuery(filter), ...limits};
			const call = {method: 'GET', path: path`/inboxes/${inboxId}/misses`, auth, query} as const;
			return json<MissesBody>(call, {
				misses: [{message: {}}],
				refusals: [{client: {}}],
				hits: [{client: {}, envelope: {}}],
			});
		},
		/** With `link`, an expression, or a substring or a `/regex/flags`, only the links whose address or text fits are shown. */
		get: async (inboxId: string, id: string, {link, ...others}: {readonly link?: Wanted} = {}) => {
			const query = {...others, link: link && patternOf(link)};
			return json<FullMessageBody>({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}`, auth, query});
		},
		delete: (inboxId: string, id: string) =>
			done({method: 'DELETE', path: path`/inboxes/${inboxId}/messages/${id}`, auth}),
		/** Deletes all messages that the inbox has by now. */
		deleteAll: (inboxId: string) =>
			done({method: 'DELETE', path: path`/inboxes/${inboxId}/messages`, auth, deadlineMs: deleteAllMs}),
		/** The source, byte for byte. */
		raw: (inboxId: string, id: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/raw`, auth}),
		/** Has a bounce come back to the sender, as a mail server sends one; of a failed delivery unless `status` says else. */
		bounce: (inboxId: string, id: string, body: CreateBounce = {}) => comesBack('bounce', inboxId, id, body),
		/** The same with the complaint of a recipient. */
		complain: (inboxId: string, id: string, body: CreateReply = {}) => comesBack('complain', inboxId, id, body),
		/** The same with an automatic reply. */
		autoreply: (inboxId: string, id: string, body: CreateReply = {}) => comesBack('autoreply', inboxId, id, body),
		/** Makes a short-lived address of a page that shows the message in a browser. */
		preview: (inboxId: string, id: string) =>
			json<PreviewBody>({method: 'POST', path: path`/inboxes/${inboxId}/messages/${id}/preview`, auth}),
		attachment: (inboxId: string, id: string, attachmentId: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/attachments/${attachmentId}`, auth}),
	};
}
