import type {FullMessageBody, MessageBody, MissBody, PreviewBody} from '../contract/messages.js';
import type {Page} from './pages.js';
import {path} from './path.js';
import {poll} from './poll.js';
import type {Request} from './request.js';

/** All that is given must hold. */
export type MessageFilter = {
	/** In the subject; always a substring without case. */
	readonly q?: string | undefined;
	readonly subject?: string | undefined;
	/** In the sender's address. */
	readonly from?: string | undefined;
	/** In the recipient's address. */
	readonly to?: string | undefined;
	/** In the text or the HTML. */
	readonly contains?: string | undefined;
	/** Each `Name: value`, in a header field of that name. */
	readonly header?: readonly string[] | undefined;
	/**
	 * How all but `q` are read: as substrings without case (`text`, unless given), with `/regex/flags` as a regular
	 * expression (`pattern`), or as whole values (`exact`).
	 */
	readonly match?: 'text' | 'pattern' | 'exact' | undefined;
	/** Only messages newer than the one with this id, or received at this time (ISO 8601) or later. */
	readonly after?: string | undefined;
};

export type ListQuery = MessageFilter &
	Partial<Page> & {
		/** Whole seconds, at most 60, to wait for a first match. */
		readonly wait?: number;
	};

export type WaitOptions = {readonly timeoutMs: number; readonly signal?: AbortSignal | undefined};

/** The most messages that `collect` can be asked for. */
export const mostCollected = 100;

/** How much later than asked for the answer of a held list may come. */
const graceMs = 15_000;

/** The messages of the inboxes that the API key's user sees. */
export function messagesClient({json, bytes}: Request) {
	const auth = 'key';
	const list = (inboxId: string, query: ListQuery = {}, signal?: AbortSignal) =>
		json<readonly MessageBody[]>({
			method: 'GET',
			path: path`/inboxes/${inboxId}/messages`,
			auth,
			query,
			signal,
			deadlineMs: (query.wait ?? 0) * 1000 + graceMs,
		});
	/**
	 * The newest `count` matches in the order they came, as soon as there are so many; fewer when the time is over.
	 * Rejects when the signal aborts.
	 */
	const collect = async (
		inboxId: string,
		filter: MessageFilter,
		{count, timeoutMs, signal}: WaitOptions & {readonly count: number},
	): Promise<readonly MessageBody[]> => {
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
	return {
		list,
		collect,
		/** The newest match, as soon as there is one; undefined when the time is over. Rejects when the signal aborts. */
		wait: async (inboxId: string, filter: MessageFilter, options: WaitOptions) =>
			(await collect(inboxId, filter, {...options, count: 1}))[0],
		/** The newest messages that do not match and why, the nearest misses first. */
		misses: async (inboxId: string, filter: MessageFilter, limit: number) =>
			(
				await json<{readonly misses: readonly MissBody[]}>({
					method: 'GET',
					path: path`/inboxes/${inboxId}/misses`,
					auth,
					query: {...filter, limit},
				})
			).misses,
		/** With `link`, a substring or a `/regex/flags`, only the links whose address or text fits are shown. */
		get: (inboxId: string, id: string, query: {readonly link?: string} = {}) =>
			json<FullMessageBody>({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}`, auth, query}),
		delete: (inboxId: string, id: string) =>
			json<undefined>({method: 'DELETE', path: path`/inboxes/${inboxId}/messages/${id}`, auth}),
		/** The source, byte for byte. */
		raw: (inboxId: string, id: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/raw`, auth}),
		/** Makes a short-lived address of a page that shows the message in a browser. */
		preview: (inboxId: string, id: string) =>
			json<PreviewBody>({method: 'POST', path: path`/inboxes/${inboxId}/messages/${id}/preview`, auth}),
		attachment: (inboxId: string, id: string, attachmentId: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/attachments/${attachmentId}`, auth}),
	};
}
