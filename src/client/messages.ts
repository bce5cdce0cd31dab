import type {BounceBody, CreateBounce, CreateReply} from '../contract/bounces.js';
import type {
	FullMessageBody,
	ImportCheckBody,
	ImportMail,
	ImportMails,
	ListMessages,
	MessageBody,
	MessageEnvelopeBody,
	MessageRequestBody,
	MessageSourceBody,
	MessageSummaryBody,
	MissesBody,
	PreviewBody,
} from '../contract/messages.js';
import type {MailToSend, SendMailBody} from '../contract/send.js';
import {type Caller, jsonRequests, path} from './caller.js';
import {assertFilter, type ClientFilter, type ClientQuery, patternOf, type Wanted, wireQuery} from './filter.js';
import {assertOptions} from './options.js';
import {poll} from './poll.js';

type SendTerms = {readonly key?: string | undefined; readonly idempotencyKey?: string | undefined};

export type WaitLimits = {readonly timeoutMs: number; readonly signal?: AbortSignal | undefined};

type MissLimits = {
	readonly limit?: number;
	readonly since?: string | undefined;
	readonly evictedAfter?: number | undefined;
};

/** Extra time for the response of a wait after its timeout. */
const graceMs = 15_000;

/** Timeout for sending a large mail and parsing it. */
const importMs = 5 * 60_000;

/** Timeout for deleting all messages of an inbox. */
const deleteAllMs = 10 * 60_000;

/** Messages of the inboxes visible to the user of the API key. An inbox id may be an address; a message id may be `latest`. */
export function messagesClient<Bytes extends Uint8Array = Buffer>(caller: Caller<Bytes>) {
	const {done, bytes, stream} = caller;
	const auth = 'key';
	const {get, post} = jsonRequests(caller, auth);
	const listOptions = (query: ListMessages, signal?: AbortSignal) => ({
		query,
		signal,
		deadlineMs: (query.wait ?? 0) * 1000 + graceMs,
	});
	const list = (inboxId: string, query: ClientQuery = {}, signal?: AbortSignal) =>
		get<readonly MessageBody[]>(path`/inboxes/${inboxId}/messages`, {
			...listOptions(wireQuery(query), signal),
			shape: [{}],
		});
	const summaries = (path: string, query: ClientQuery, signal?: AbortSignal) =>
		get<readonly MessageSummaryBody[]>(path, {
			...listOptions({...wireQuery(query), fields: 'summary'}, signal),
			shape: [{}],
		});
	/**
	 * Waits for `count` matches (at most `maxLimit`) and returns them in the order of arrival; fewer after a timeout. Rejects
	 * when the signal aborts.
	 */
	const collect = async (
		inboxId: string,
		filter: ClientFilter,
		limits: WaitLimits & {readonly count: number},
	): Promise<readonly MessageBody[]> => {
		assertOptions(limits, ['count', 'timeoutMs', 'signal']);
		assertFilter(filter);
		const {count, timeoutMs, signal} = limits;
		if (!Number.isFinite(timeoutMs) || timeoutMs < 0) {
			throw new TypeError(`"timeoutMs" must be a number of at least 0, got ${timeoutMs}.`);
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
	const reply = (what: string, inboxId: string, id: string, body: CreateBounce) =>
		post<BounceBody>(path`/inboxes/${inboxId}/messages/${id}/${what}`, {body});
	return {
		/** Sends a mail to the inbox of `key`, or to the inboxes of its recipients. Requests with the same `idempotencyKey` send it once. */
		send: (body: MailToSend, {key, idempotencyKey}: SendTerms = {}) => {
			const headers = {
				...(key !== undefined && {authorization: `Bearer ${key}`}),
				...(idempotencyKey !== undefined && {'idempotency-key': idempotencyKey}),
			};
			return post<SendMailBody>(path`/send`, {headers, body});
		},
		list,
		/** Lists summaries, without parsing any mail. */
		summaries: (inboxId: string, query: ClientQuery = {}, signal?: AbortSignal) =>
			summaries(path`/inboxes/${inboxId}/messages`, query, signal),
		/** Lists summaries with the envelope of each message. */
		envelopes: (inboxId: string, query: ClientQuery = {}, signal?: AbortSignal) =>
			get<readonly MessageEnvelopeBody[]>(path`/inboxes/${inboxId}/messages`, {
				...listOptions({...wireQuery(query), fields: 'envelope'}, signal),
				shape: [{envelope: {}}],
			}),
		/** Lists summaries of all inboxes visible to the user, newest first. For the next page, pass the last id as `before`. */
		summariesOfAll: (query: Omit<ClientQuery, 'page' | 'wait'> = {}, signal?: AbortSignal) =>
			summaries(path`/messages`, query, signal),
		collect,
		/** Waits for a match and returns the newest one; undefined after a timeout. Rejects when the signal aborts. */
		wait: async (inboxId: string, filter: ClientFilter, limits: WaitLimits) =>
			(await collect(inboxId, filter, {...limits, count: 1}))[0],
		/** Near misses with reasons, closest first; refusals and fault hits since `since` (ISO 8601); and the number of evictions after the first `evictedAfter`. */
		misses: async (inboxId: string, filter: ClientFilter, {evictedAfter, ...limits}: MissLimits = {}) =>
			get<MissesBody>(path`/inboxes/${inboxId}/misses`, {
				query: {...wireQuery(filter), ...limits, evicted_after: evictedAfter},
				shape: {misses: [{message: {}}], refusals: [{client: {}}], hits: [{client: {}, envelope: {}}]},
			}),
		/** Reads a message. `link` (a RegExp, a substring or `/regex/flags`) limits the links to those with a matching URL or text. */
		get: async (
			inboxId: string,
			id: string,
			{link, ...others}: {readonly link?: Wanted} = {},
			signal?: AbortSignal,
		) => {
			const query = {...others, link: link && patternOf(link)};
			return get<FullMessageBody>(path`/inboxes/${inboxId}/messages/${id}`, {query, signal});
		},
		/** Stores a mail in the inbox as if it arrived now. */
		import: (inboxId: string, mail: Uint8Array<ArrayBuffer>, query: ImportMail = {}) =>
			post<MessageSummaryBody>(path`/inboxes/${inboxId}/messages`, {query, mail, deadlineMs: importMs}),
		/** Stores several mails in the inbox in this order: all or none. Limited by `maxTogether`. */
		importAll: (inboxId: string, body: ImportMails) =>
			post<readonly MessageSummaryBody[]>(path`/inboxes/${inboxId}/sources`, {body, deadlineMs: importMs, shape: [{}]}),
		/** Returns the result that `import` would have, without storing the mail. */
		checkImport: (inboxId: string, mail: Uint8Array<ArrayBuffer>, query: ImportMail = {}) =>
			post<ImportCheckBody>(path`/inboxes/${inboxId}/messages/check`, {query, mail, deadlineMs: importMs}),
		delete: (inboxId: string, id: string) =>
			done({method: 'DELETE', path: path`/inboxes/${inboxId}/messages/${id}`, auth}),
		/** Deletes all current messages of the inbox; with `up_to`, only the message with that id and older ones. */
		deleteAll: (inboxId: string, query: {readonly up_to?: string | undefined} = {}) =>
			done({method: 'DELETE', path: path`/inboxes/${inboxId}/messages`, auth, query, deadlineMs: deleteAllMs}),
		/** Source of a message, byte for byte. */
		raw: (inboxId: string, id: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/raw`, auth}),
		/** Sources of several messages, in this order, without deleted ones. Limited by `maxTogether`. */
		sources: (inboxId: string, id: readonly string[], signal?: AbortSignal) =>
			get<readonly MessageSourceBody[]>(path`/inboxes/${inboxId}/sources`, {query: {id}, signal, shape: [{}]}),
		/** Source of a message as a stream. */
		rawStream: (inboxId: string, id: string, signal?: AbortSignal) =>
			stream({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/raw`, auth, signal}),
		/** Sending-API request that created the message. */
		request: (inboxId: string, id: string) => get<MessageRequestBody>(path`/inboxes/${inboxId}/messages/${id}/request`),
		/** Sends a bounce of the message to its sender, by default for a failed delivery. */
		bounce: (inboxId: string, id: string, body: CreateBounce = {}) => reply('bounce', inboxId, id, body),
		/** Sends a spam complaint about the message to its sender. */
		complain: (inboxId: string, id: string, body: CreateReply = {}) => reply('complain', inboxId, id, body),
		/** Sends an automatic reply to the sender of the message. */
		autoreply: (inboxId: string, id: string, body: CreateReply = {}) => reply('autoreply', inboxId, id, body),
		/** Creates a short-lived URL of a page that shows the message. */
		preview: (inboxId: string, id: string) => post<PreviewBody>(path`/inboxes/${inboxId}/messages/${id}/preview`),
		attachment: (inboxId: string, id: string, attachmentId: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/attachments/${attachmentId}`, auth}),
	};
}
