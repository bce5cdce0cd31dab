import {maxLimit} from '../contract/constants.js';
import {dropWords} from '../contract/descriptions.js';
import type {
	CreateFault,
	FaultBody,
	FaultHitBody,
	FaultHitListBody,
	FaultListBody,
	ListFaultHits,
} from '../contract/faults.js';
import {formatDuration} from '../lib/text/units.js';
import {type Caller, jsonRequests, path} from './caller.js';
import {assertOptions} from './options.js';
import {poll} from './poll.js';

/** Extra time for the response of a wait after its timeout. */
const graceMs = 15_000;

/** Options of a wait for fault hits. */
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
export function faultsClient(caller: Caller) {
	const {get, post} = jsonRequests(caller, 'key');
	const authOf = (inboxId: string | null) => (inboxId === null ? 'either' : 'key');
	const pathOf = (inboxId: string | null, fault?: string) =>
		(inboxId === null ? path`/faults` : path`/inboxes/${inboxId}/faults`) +
		(fault === undefined ? '' : path`/${fault}`);
	/** Lists hits, newest first; with `fault`, only hits of that fault. */
	const hits = (
		inboxId: string | null,
		{fault, ...query}: ListFaultHits & {readonly fault?: string | undefined} = {},
		signal?: AbortSignal,
	) =>
		get<FaultHitListBody>(`${pathOf(inboxId, fault)}/hits`, {
			auth: authOf(inboxId),
			query,
			signal,
			deadlineMs: (query.wait ?? 0) * 1000 + graceMs,
			shape: {hits: [{client: {}, envelope: {}}]},
		});
	return {
		create: (inboxId: string | null, body: CreateFault) =>
			post<FaultBody>(pathOf(inboxId), {auth: authOf(inboxId), body}),
		/** Lists faults in the order in which they are checked. */
		list: async (inboxId: string | null) =>
			(await get<FaultListBody>(pathOf(inboxId), {auth: authOf(inboxId), shape: {faults: [{}]}})).faults,
		get: (inboxId: string | null, id: string) => get<FaultBody>(pathOf(inboxId, id), {auth: authOf(inboxId)}),
		delete: (inboxId: string | null, id: string) =>
			caller.done({method: 'DELETE', path: pathOf(inboxId, id), auth: authOf(inboxId)}),
		deleteAll: (inboxId: string | null) =>
			caller.done({method: 'DELETE', path: pathOf(inboxId), auth: authOf(inboxId)}),
		hits,
		/** Waits for `count` hits in total and returns the newest ones (at most `maxLimit`), newest first; fewer after a timeout. */
		wait: async (inboxId: string | null, limits: HitLimits): Promise<readonly FaultHitBody[]> => {
			assertOptions(limits, ['fault', 'count', 'timeoutMs', 'signal']);
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

type Fault = CreateFault | FaultBody;

/** Names of the values that the patterns of a fault match. */
const valueNames: Readonly<Record<string, string>> = {
	from: 'sender',
	to: 'recipient',
	subject: 'subject',
	user: 'SMTP user',
};

/** Describes the effect and the conditions of a fault: `451 4.7.1 Try again later; once per recipient`. Contains untrusted text. */
export function describeFault(fault: Fault): string {
	const {reply, rate, delay_ms, byte_delay_ms, drop, match, after, probability} = fault;
	const patterns = Object.entries(match ?? {}).flatMap(([name, pattern]) =>
		pattern ? `${valueNames[name] ?? name} matches "${pattern}"` : [],
	);
	return [
		reply ?? (rate && 'rejected'),
		delay_ms && `delayed by ${formatDuration(delay_ms)}`,
		byte_delay_ms && `one byte every ${formatDuration(byte_delay_ms)}`,
		drop && dropWords[drop],
		rate && `if more than ${rate.count} in ${formatDuration(rate.seconds * 1000)}`,
		after && `after the first ${after === 1 ? 'one' : after}`,
		timesOf(fault),
		typeof probability === 'number' && `with probability ${probability}`,
		patterns.length > 0 && `if ${patterns.join(' and ')}`,
	]
		.filter(Boolean)
		.join('; ');
}

function timesOf({times, per}: Fault): string {
	const howOften = times ? (times === 1 ? 'once' : `${times} times`) : '';
	return [howOften, per && `per ${per}`].filter(Boolean).join(' ');
}
