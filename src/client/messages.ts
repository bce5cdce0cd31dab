import type {FullMessageBody, MessageBody} from '../contract/messages.js';
import type {Page} from './pages.js';
import {path} from './path.js';
import {poll} from './poll.js';
import type {Request} from './request.js';

/** Texts are compared as substrings without case; all that are given must hold. */
export type MessageFilter = {
	/** In the subject. */
	readonly q?: string | undefined;
	readonly from?: string | undefined;
	readonly to?: string | undefined;
	/** Only messages newer than the one with this id. */
	readonly after?: string | undefined;
};

export type ListQuery = MessageFilter &
	Partial<Page> & {
		/** Whole seconds, at most 60, to wait for a first match. */
		readonly wait?: number;
	};

export type WaitOptions = {readonly timeoutMs: number; readonly signal?: AbortSignal | undefined};

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
	return {
		list,
		get: (inboxId: string, id: string) =>
			json<FullMessageBody>({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}`, auth}),
		delete: (inboxId: string, id: string) =>
			json<undefined>({method: 'DELETE', path: path`/inboxes/${inboxId}/messages/${id}`, auth}),
		/** The source, byte for byte. */
		raw: (inboxId: string, id: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/raw`, auth}),
		attachment: (inboxId: string, id: string, attachmentId: string) =>
			bytes({method: 'GET', path: path`/inboxes/${inboxId}/messages/${id}/attachments/${attachmentId}`, auth}),
		/** The newest match, as soon as there is one; undefined when the time is over. Rejects when the signal aborts. */
		wait: (inboxId: string, filter: MessageFilter, {timeoutMs, signal}: WaitOptions) =>
			poll(
				async (wait, pollSignal) => (await list(inboxId, {...filter, limit: 1, wait}, pollSignal))[0],
				timeoutMs,
				signal,
			),
	};
}
