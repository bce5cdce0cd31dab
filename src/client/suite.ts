import {maxLimit} from '../contract/constants.js';
import {describeFaultHit} from '../contract/descriptions.js';
import type {FaultHitBody} from '../contract/faults.js';
import type {MessageBody} from '../contract/messages.js';
import {sanitizeLine} from '../lib/text/sanitize.js';
import {formatDuration} from '../lib/text/units.js';
import {type ClientOptions, createCaller} from './caller.js';
import {faultsClient, type HitLimits} from './faults.js';
import {type ClientFilter, describeFilter, wireQuery} from './filter.js';
import {inboxesClient} from './inboxes.js';
import {messagesClient, type WaitLimits} from './messages.js';
import {assertOptions} from './options.js';
import {maxArrivals, problemsSince, timeoutLines} from './timeout-report.js';
import {webhooksClient} from './webhooks.js';

export {ApiError, UnreachableError} from './errors.js';

/** Client of the `/v1` API for test suites: everything that an API key gives access to. */
export type TestClient = {
	readonly inboxes: ReturnType<typeof inboxesClient>;
	readonly webhooks: ReturnType<typeof webhooksClient>;
	readonly messages: Omit<ReturnType<typeof messagesClient<Buffer>>, 'wait'> & {
		/**
		 * Waits for a match and returns the newest one with its codes and links; use `get` for its headers. Rejects with a
		 * `TimeoutError` after `timeoutMs` (4 seconds by default).
		 */
		wait(inboxId: string, filter?: ClientFilter, limits?: Partial<WaitLimits>): Promise<MessageBody>;
	};
	readonly faults: Omit<ReturnType<typeof faultsClient>, 'wait'> & {
		/**
		 * Waits for `count` hits in total (1 by default) and returns the newest hits, newest first. Rejects with a
		 * `TimeoutError` after `timeoutMs` (4 seconds by default).
		 */
		wait(inboxId: string | null, limits?: Partial<HitLimits>): Promise<readonly FaultHitBody[]>;
	};
};

/** A wait timed out. The message lists what arrived instead, and why it did not match. */
export class TimeoutError extends Error {
	override readonly name = 'TimeoutError';
}

/** Timeout below the default test timeout of Vitest and Jest (5 seconds), so that the test fails with this error. */
const defaultTimeoutMs = 4000;

/** Maximum number of hits in an error message. */
const maxHits = 5;

/**
 * Creates a client for test suites. `url` and `apiKey` default to `TINBOX_URL` and `TINBOX_API_KEY`, which `tinbox run` and
 * `tinbox daemon start --format env` set.
 */
export function createClient(options: Partial<ClientOptions> = {}): TestClient {
	const {TINBOX_URL: url, TINBOX_API_KEY: apiKey} = process.env;
	assertOptions(options, ['url', 'apiKey', 'token', 'renewApiKey']);
	const given = {...(url && {url}), ...(apiKey && {apiKey}), ...options};
	if (given.url === undefined) {
		throw new Error(
			'No tinbox daemon is configured. Run the tests with "tinbox run", set TINBOX_URL and TINBOX_API_KEY, or pass {url, apiKey}.',
		);
	}

	const caller = createCaller({...given, url: given.url});
	const inboxes = inboxesClient(caller);
	const messages = messagesClient(caller);
	const faults = faultsClient(caller);
	const addressOf = async (inboxId: string) =>
		inboxes.get(inboxId).then(
			inbox => inbox.email_address,
			() => inboxId,
		);
	return {
		inboxes,
		webhooks: webhooksClient(caller),
		messages: {
			...messages,
			async wait(inboxId, filter = {}, limits = {}) {
				assertOptions(limits, ['timeoutMs', 'signal']);
				const {timeoutMs = defaultTimeoutMs, signal} = limits;
				const since = problemsSince(new Date());
				const found = await messages.wait(inboxId, filter, {timeoutMs, signal});
				if (!found) {
					const [arrived, address] = await Promise.all([
						messages.misses(inboxId, filter, {limit: maxArrivals, since}),
						addressOf(inboxId),
					]);
					const wanted = describeFilter(wireQuery(filter));
					const told = {address, wanted, count: 1, found: 0, timeoutMs, now: new Date()};
					throw new TimeoutError(timeoutLines(told, arrived).map(sanitizeLine).join('\n'));
				}

				return found;
			},
		},
		faults: {
			...faults,
			async wait(inboxId, limits = {}) {
				const {timeoutMs = defaultTimeoutMs, count = 1} = limits;
				const hits = await faults.wait(inboxId, {...limits, count, timeoutMs});
				if (hits.length < Math.min(count, maxLimit)) {
					throw new TimeoutError(describeHits(hits, count, timeoutMs));
				}

				return hits;
			},
		},
	};
}

function describeHits(hits: readonly FaultHitBody[], count: number, timeoutMs: number): string {
	const [newest] = hits;
	return [
		`${count === 1 ? 'No fault hit' : `Only ${hits.length} of ${count} fault hits`} occurred within ${formatDuration(timeoutMs)}.`,
		...(newest ? ['Newest first:'] : []),
		...hits.slice(0, maxHits).map(hit => `  ${hit.time} ${describeFaultHit(hit)}`),
	]
		.map(sanitizeLine)
		.join('\n');
}
