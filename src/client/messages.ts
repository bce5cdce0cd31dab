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
import {assertKnown} from './options.js';
import {poll} from './poll.js';

export type SendTerms = {readonly key?: string | undefined; readonly idempotencyKey?: string | undefined};

export type WaitLimits = {readonly timeoutMs: number; readonly signal?: AbortSignal | undefined};

/** How much later than asked for the answer of a held list may come. */
const graceMs = 15_000;

/** How long it may take to send a large mail, and to have it read. */
const importMs = 5 * 60_000;

/** How long it may take to delete very many. */
const deleteAllMs = 10 * 60_000;

/** The messages of the inboxes that the API key's user sees. An address may stand for the id of an inbox, `latest` for that of a message. */
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
		/** Sends a mail: with the key of an inbox all of it goes there, with no `key` to whom its recipients lead. The same `idempotencyKey` sends it once. */
		send: (body: MailToSend, {key, idempotencyKey}: SendTerms = {}) => {
			const headers = {
				...(key !== undefined && {authorization: `Bearer ${key}`}),
				...(idempotencyKey !== undefined && {'idempotency-key': idempotencyKey}),
			};
			return json<SendMailBody>({method: 'POST', path: path`/send`, auth, headers, body});
		},
		list,
		/** The same without what must be read of a mail: quick, however large they are. */
		summaries: (inboxId: string, query: ClientQuery = {}, signal?: AbortSignal) =>
			summaries(path`/inboxes/${inboxId}/messages`, query, signal),
		/** The same, with who sent each and for whom. */
		envelopes: (inboxId: string, query: ClientQuery = {}, signal?: AbortSignal) =>
			json<readonly MessageEnvelopeBody[]>(
				listCall(path`/inboxes/${inboxId}/messages`, {...wireQuery(query), fields: 'envelope'}, signal),
				[{envelope: {}}],
			),
		/** Of all inboxes that the user sees: the newest, or behind them those `before` the last of these. */
		summariesOfAll: (query: Omit<ClientQuery, 'page' | 'wait'> = {}, signal?: AbortSignal) =>
			summaries(path`/messages`, query, signal),
		collect,
		/** The newest match, as soon as there is one; undefined when the time is over. Rejects when the signal aborts. */
		wait: async (inboxId: string, filter: ClientFilter, limits: WaitLimits) =>
			(await collect(inboxId, filter, {...limits, count: 1}))[0],
		/** The newest messages that do not match and why, the nearest misses first; what was refused, and what faults did, since then (ISO 8601); and how many messages the inbox evicted, beyond so many. */
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
		/** With `link`, an expression, or a substring or a `/regex/flags`, only the links whose address or text fits are shown. */
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
		/** Keeps a mail in the inbox, as if it came now. */
		import: (inboxId: string, mail: Uint8Array<ArrayBuffer>, query: ImportMail = {}) =>
			json<MessageSummaryBody>(importCall(path`/inboxes/${inboxId}/messages`, mail, query)),
		/** Keeps several mails in the inbox, in this order: all of them or none. Of mails and their bytes `maxTogether` says how many. */
		importAll: (inboxId: string, body: ImportMails) =>
			json<readonly MessageSummaryBody[]>(
				{method: 'POST', path: path`/inboxes/${inboxId}/sources`, auth, body, deadlineMs: importMs},
				[{}],
			),
		/** Tells what `import` would keep, and keeps nothing. */
		checkImport: (inboxId: string, mail: Uint8Array<ArrayBuffer>, query: ImportMail = {}) =>
			json<ImportCheckBody>(importCall(path`/inboxes/${inboxId}/messages/check`, mail, query)),
		delete: (inboxId: string, id: string) =>
			done({method: 'DELETE', path: path`/inboxes/${inboxId}/messages/${id}`, auth}),
		/** Deletes all messages that the inbox has by now, or (`up_to`) none that is newer than the one with this id. */
		deleteAll: (inboxId: string, query: {readonly up_to?: string | undefined} = {}) =>
			done({method: 'DELETE', path: path`/inboxes/${inboxId}/messages`, auth, query, deadlineMs: deleteAllMs}),
		/** The source, byte for byte. */
		raw: (inboxId: string, id: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/raw`, auth}),
		/** Those of several messages that are there, in this order. Of messages and their bytes `maxTogether` says how many. */
		sources: (inboxId: string, id: readonly string[], signal?: AbortSignal) =>
			json<readonly MessageSourceBody[]>(
				{method: 'GET', path: path`/inboxes/${inboxId}/sources`, auth, query: {id}, signal},
				[{}],
			),
		/** The same of one as it comes, for as long as it is read. */
		rawStream: (inboxId: string, id: string, signal?: AbortSignal) =>
			stream({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/raw`, auth, signal}),
		/** The request of a sending API that brought the message. */
		request: (inboxId: string, id: string) =>
			json<MessageRequestBody>({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/request`, auth}),
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
