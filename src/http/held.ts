import type {ServerResponse} from 'node:http';
import type {Quota} from '../services/limits/quota.js';

const held = new WeakSet<ServerResponse>();

/** Counts an answer that waits for news in the user's quota, until it closes. Throws `limit_reached`. */
export function holdForNews(response: ServerResponse, quota: Quota, userId: string): void {
	const release = quota.hold(userId);
	held.add(response);
	response.once('close', release);
}

/** Whether the answer waits, or waited, for news. */
export function isHeld(response: ServerResponse): boolean {
	return held.has(response);
}
