import type {FaultEffect} from './fault.js';

/** Ways in which a request to a sending API fails that are not the provider's own reading. */
export type SendFailure =
	| {readonly type: 'no_key' | 'wrong_key' | 'unavailable' | 'storage_full' | 'internal' | 'not_found_mail'}
	/** Names the routes. */
	| {readonly type: 'no_route'; readonly detail: string}
	/** Names the methods that the path takes. */
	| {readonly type: 'no_method'; readonly detail: string; readonly allow: string}
	| {readonly type: 'media_type'; readonly types: readonly string[]}
	/** No JSON, form or multipart. */
	| {readonly type: 'malformed'; readonly detail: string}
	| {readonly type: 'too_large'; readonly maxBytes: number}
	/** Seconds; also a fault with a 4xx reply. */
	| {readonly type: 'rate_limited'; readonly retryAfter: number}
	/** Also a fault with a 5xx reply. */
	| {readonly type: 'refused'; readonly detail: string; readonly address: string | undefined}
	| {readonly type: 'unverified_sender'; readonly address: string}
	/** The idempotency key came with another request. */
	| {readonly type: 'key_reused'}
	/** The same key is under way. */
	| {readonly type: 'in_progress'};

/** Thrown where a request to a sending API fails: each provider has its own answer to that. */
export class Unsent extends Error {
	readonly failure: SendFailure;
	/** Where a fault has it fail: what else that does. */
	readonly effect: FaultEffect | null;

	constructor(failure: SendFailure, effect: FaultEffect | null = null) {
		super(`The request failed: ${failure.type}.`);
		this.failure = failure;
		this.effect = effect;
	}
}
