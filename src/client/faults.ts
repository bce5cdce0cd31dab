import {maxLimit} from '../contract/constants.js';
import type {
	CreateFault,
	FaultBody,
	FaultHitBody,
	FaultHitListBody,
	FaultListBody,
	ListFaultHits,
} from '../contract/faults.js';
import {type Caller, path} from './caller.js';
import {assertKnown} from './options.js';
import {poll} from './poll.js';

/** How much later than asked for the answer of a held list may come. */
const graceMs = 15_000;

/** Hits to wait for, and the timeout. */
export type HitLimits = {
	/** Only hits of the fault with this id or name. */
	readonly fault?: string | undefined;
	readonly count: number;
	readonly timeoutMs: number;
	readonly signal?: AbortSignal | undefined;
};

/**
 * Fault rules of an inbox (by id or address; needs the API key), or of the daemon (`null`; needs the API key of the local
 * user or the operator token).
 */
export function faultsClient({json, done}: Caller) {
	const of = (inboxId: string | null) => ({
		base: inboxId === null ? path`/faults` : path`/inboxes/${inboxId}/faults`,
		auth: inboxId === null ? ('either' as const) : ('key' as const),
	});
	/** Hits, newest first; with `fault`, only those of that fault. */
	const hits = (
		inboxId: string | null,
		{fault, ...query}: ListFaultHits & {readonly fault?: string | undefined} = {},
		signal?: AbortSignal,
	) => {
		const {base, auth} = of(inboxId);
		return json<FaultHitListBody>(
			{
				method: 'GET',
				path: `${base}${fault === undefined ? '' : path`/${fault}`}/hits`,
				auth,
				query,
				signal,
				deadlineMs: (query.wait ?? 0) * 1000 + graceMs,
			},
			{hits: [{client: {}, envelope: {}}]},
		);
	};
	return {
		create: (inboxId: string | null, body: CreateFault) => {
			const {base, auth} = of(inboxId);
			return json<FaultBody>({method: 'POST', path: base, auth, body});
		},
		/** In the order in which they are asked. */
		list: async (inboxId: string | null) => {
			const {base, auth} = of(inboxId);
			return (await json<FaultListBody>({method: 'GET', path: base, auth}, {faults: [{}]})).faults;
		},
		get: (inboxId: string | null, id: string) => {
			const {base, auth} = of(inboxId);
			return json<FaultBody>({method: 'GET', path: `${base}${path`/${id}`}`, auth});
		},
		delete: (inboxId: string | null, id: string) => {
			const {base, auth} = of(inboxId);
			return done({method: 'DELETE', path: `${base}${path`/${id}`}`, auth});
		},
		deleteAll: (inboxId: string | null) => {
			const {base, auth} = of(inboxId);
			return done({method: 'DELETE', path: base, auth});
		},
		hits,
		/** Waits for `count` hits in total and returns the newest ones (at most `maxLimit`), newest first; fewer after a timeout. */
		wait: async (inboxId: string | null, limits: HitLimits): Promise<readonly FaultHitBody[]> => {
			assertKnown(limits, ['fault', 'count', 'timeoutMs', 'signal']);
			const {fault, count, timeoutMs, signal} = limits;
			const limit = Math.min(count, maxLimit);
			const look = async (wait: number, pollSignal: AbortSignal | undefined) => {
				const list = await hits(inboxId, {fault, limit, wait, count}, pollSignal);
				return list.total < count ? undefined : list;
			};
			return ((await poll(look, timeoutMs, signal)) ?? (await hits(inboxId, {fault, limit}, signal))).hits;
		},
	};
}
