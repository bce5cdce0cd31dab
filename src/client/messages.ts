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
import {type Caller, path} from './caller.js';
import {assertFilter, type ClientFilter, type ClientQuery, patternOf, type Wanted, wireQuery} from './filter.js';
import {assertOptions} from './options.js';
import {poll} from './poll.js';

export type SendTerms = {readonly key?: string | undefined; readonly idempotencyKey?: string | undefined};

export type WaitLimits = {readonly timeoutMs: number; readonly signal?: AbortSignal | undefined};

/** Extra time for the response of a wait after its timeout. */
const graceMs = 15_000;

/** Timeout for sending a large mail and parsing it. */
const importMs = 5 * 60_000;

/** Timeout for deleting all messages of an inbox. */
const deleteAllMs = 10 * 60_000;

/** Messages of the inboxes visible to the user of the API key. An inbox id may be an address; a message id may be `latest`. */
export function messagesClient<Bytes extends Uint8Array = Buffer>({json, done, bytes, stream}: Caller<Bytes>) {
	const auth = 'key';
	const listCall = (path: string, query: ListMessages, signal?: AbortSignal) =>
		({method: 'GET', path, auth, query, signal, deadlineMs: (query.wait ?? 0) * 1000 + graceMs}) as const;
	const importCall = (path: string, mail: Uint8Array<ArrayBuffer>, query: ImportMail) =>
		({method: 'POST', path, auth, query, mail, deadlineMs: importMs}) as const;
	const list = (inboxId: string, query: ClientQuery = {}, signal?: AbortSignal) =>
		json<readonly MessageBody[]>(listCall(path`/inboxes/${inboxId}/messages`, wireQuery(query), signal), [{}]);
	const summaries = (path: string, query: ClientQuery, signal?: AbortSignal) =>
		json<readonly MessageSummaryBody[]>(listCall(path, {...wireQuery(query), fields: 'summary'}, signal), [{}]);
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
	const comesBack = (what: string, inboxId: string, id: string, body: CreateBounce) =>
		json<BounceBody>({method: 'POST', path: path`/inboxes/${inboxId}/messages/${id}/${what}`, auth, body});
	return {
		/** Sends a mail to the inbox of `key`, or to the inboxes of its recipients. Requests with the same `idempotencyKey` send it once. */
		send: (body: MailToSend, {key, idempotencyKey}: SendTerms = {}) => {
			const headers = {
				...(key !== undefined && {authorization: `Bearer ${key}`}),
				...(idempotencyKey !== undefined && {'idempotency-key': idempotencyKey}),
			};
			return json<SendMailBody>({method: 'POST', path: path`/send`, auth, headers, body});
		},
		list,
		/** Lists summaries, without parsing any mail. */
		summaries: (inboxId: string, query: ClientQuery = {}, signal?: AbortSignal) =>
			summaries(path`/inboxes/${inboxId}/messages`, query, signal),
		/** Lists summaries with the envelope of each message. */
		envelopes: (inboxId: string, query: ClientQuery = {}, signal?: AbortSignal) =>
			json<readonly MessageEnvelopeBody[]>(
				listCall(path`/inboxes/${inboxId}/messages`, {...wireQuery(query), fields: 'envelope'}, signal),
				[{envelope: {}}],
			),
		/** Lists summaries of all inboxes visible to the user, newest first. For the next page, pass the last id as `before`. */
		summariesOfAll: (query: Omit<ClientQuery, 'page' | 'wait'> = {}, signal?: AbortSignal) =>
			summaries(path`/messages`, query, signal),
		collect,
		/** Waits for a match and returns the newest one; undefined after a timeout. Rejects when the signal aborts. */
		wait: async (inboxId: string, filter: ClientFilter, limits: WaitLimits) =>
			(await collect(inboxId, filter, {...limits, count: 1}))[0],
		/** Near misses with reasons, closest first; refusals and fault hits since `since` (ISO 8601); and the number of evictions after the first `evictedAfter`. */
		misses: async (
			inboxId: string,
			filter: ClientFilter,
			{
				evictedAfter,
				...limits
			}: {
				readonly limit?: number;
				readonly since?: string | undefined;
				readonly evictedAfter?: number | undefined;
			} = {},
		) => {
			const query = {...wireQuery(filter), ...limits, evicted_after: evictedAfter};
			const call = {method: 'GET', path: path`/inboxes/${inboxId}/misses`, auth, query} as const;
			return json<MissesBody>(call, {
				misses: [{message: {}}],
				refusals: [{client: {}}],
				hits: [{client: {}, envelope: {}}],
			});
		},
		/** Reads a message. `link` (a RegExp, a substring or `/regex/flags`) limits the links to those with a matching URL or text. */
		get: async (
			inboxId: string,
			id: string,
			{link, ...others}: {readonly link?: Wanted} = {},
			signal?: AbortSignal,
		) => {
			const query = {...others, link: link && patternOf(link)};
			return json<FullMessageBody>({
				method: 'GET',
				path: path`/inboxes/${inboxId}/messages/${id}`,
				auth,
				query,
				signal,
			});
		},
		/** Stores a mail in the inbox as if it arrived now. */
		import: (inboxId: string, mail: Uint8Array<ArrayBuffer>, query: ImportMail = {}) =>
			json<MessageSummaryBody>(importCall(path`/inboxes/${inboxId}/messages`, mail, query)),
		/** Stores several mails in the inbox in this order: all or none. Limited by `maxTogether`. */
		importAll: (inboxId: string, body: ImportMails) =>
			json<readonly MessageSummaryBody[]>(
				{method: 'POST', path: path`/inboxes/${inboxId}/sources`, auth, body, deadlineMs: importMs},
				[{}],
			),
		/** Returns the result that `import` would have, without storing the mail. */
		checkImport: (inboxId: string, mail: Uint8Array<ArrayBuffer>, query: ImportMail = {}) =>
			json<ImportCheckBody>(importCall(path`/inboxes/${inboxId}/messages/check`, mail, query)),
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
			json<readonly MessageSourceBody[]>(
				{method: 'GET', path: path`/inboxes/${inboxId}/sources`, auth, query: {id}, signal},
				[{}],
			),
		/** Source of a message as a stream. */
		rawStream: (inboxId: string, id: string, signal?: AbortSignal) =>
			stream({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/raw`, auth, signal}),
		/** Sending-API request that created the message. */
		request: (inboxId: string, id: string) =>
			json<MessageRequestBody>({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/request`, auth}),
		/** Sends a bounce of the message to its sender, by default for a failed delivery. */
		bounce: (inboxId: string, id: string, body: CreateBounce = {}) => comesBack('bounce', inboxId, id, body),
		/** Sends a spam complaint about the message to its sender. */
		complain: (inboxId: string, id: string, body: CreateReply = {}) => comesBack('complain', inboxId, id, body),
		/** Sends an automatic reply to the sender of the message. */
		autoreply: (inboxId: string, id: string, body: CreateReply = {}) => comesBack('autoreply', inboxId, id, body),
		/** Creates a short-lived URL of a page that shows the message. */
		preview: (inboxId: string, id: string) =>
			json<PreviewBody>({method: 'POST', path: path`/inboxes/${inboxId}/messages/${id}/preview`, auth}),
		attachment: (inboxId: string, id: string, attachmentId: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/attachments/${attachmentId}`, auth}),
	};
}
