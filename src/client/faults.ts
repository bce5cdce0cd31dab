import type {CreateFault, FaultBody, FaultHitListBody, FaultListBody, ListFaultHits} from '../contract/faults.js';
import {type Caller, path} from './caller.js';

/** How much later than asked for the answer of a held list may come. */
const graceMs = 15_000;

/**
 * The faults of an inbox (its address may stand for its id) that the API key's user sees; where the inbox is null, those of the
 * daemon, for the operator and the local user.
 */
export function faultsClient({json, done}: Caller) {
	const auth = 'either';
	const all = (inboxId: string | null) => (inboxId === null ? path`/faults` : path`/inboxes/${inboxId}/faults`);
	const one = (inboxId: string | null, id: string) => all(inboxId) + path`/${id}`;
	return {
		create: (inboxId: string | null, body: CreateFault) =>
			json<FaultBody>({method: 'POST', path: all(inboxId), auth, body}),
		/** In the order in which they are asked, the oldest first. */
		list: (inboxId: string | null) => json<FaultListBody>({method: 'GET', path: all(inboxId), auth}, {faults: [{}]}),
		get: (inboxId: string | null, id: string) => json<FaultBody>({method: 'GET', path: one(inboxId, id), auth}),
		delete: (inboxId: string | null, id: string) => done({method: 'DELETE', path: one(inboxId, id), auth}),
		/** Deletes all that there are by now. */
		deleteAll: (inboxId: string | null) => done({method: 'DELETE', path: all(inboxId), auth}),
		/**
		 * What a fault did, or (null) all that there are and were, the newest first; with `wait` once there are `count`, or the
		 * time is over. Rejects when the signal aborts.
		 */
		hits: (inboxId: string | null, id: string | null, query: ListFaultHits = {}, signal?: AbortSignal) =>
			json<FaultHitListBody>(
				{
					method: 'GET',
					path: `${id === null ? all(inboxId) : one(inboxId, id)}/hits`,
					auth,
					query,
					signal,
					deadlineMs: (query.wait ?? 0) * 1000 + graceMs,
				},
				{hits: [{client: {}, envelope: {}}]},
			),
	};
}
