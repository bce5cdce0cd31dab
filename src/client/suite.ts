import {describeFaultHit, type FaultHitBody} from '../contract/faults.js';
import type {MessageBody, MissesBody} from '../contract/messages.js';
import {maxLimit} from '../contract/page.js';
import {sanitizeLine} from '../lib/sanitize.js';
import {type ClientOptions, createCaller} from './caller.js';
import {faultsClient, type HitLimits} from './faults.js';
import type {ClientFilter} from './filter.js';
import {inboxesClient} from './inboxes.js';
import {messagesClient, type WaitLimits} from './messages.js';
import {assertKnown} from './options.js';
import {webhooksClient} from './webhooks.js';
import {wentWrongMeanwhile, wentWrongSince} from './went-wrong.js';

export {ApiError, UnreachableError} from './errors.js';

/** What a test suite needs of the `/v1` API: whatever the API key opens. */
export type TestClient = {
	readonly inboxes: ReturnType<typeof inboxesClient>;
	readonly webhooks: ReturnType<typeof webhooksClient>;
	readonly messages: Omit<ReturnType<typeof messagesClient<Buffer>>, 'wait'> & {
		/**
		 * The newest match with its codes and links, as soon as there is one; `get` also reads its headers. Rejects with a `TimeoutError` when there is none
		 * in time (4 seconds, unless `timeoutMs` is given).
		 */
		wait(inboxId: string, filter?: ClientFilter, limits?: Partial<WaitLimits>): Promise<MessageBody>;
	};
	readonly faults: Omit<ReturnType<typeof faultsClient>, 'wait'> & {
		/**
		 * The newest hits, newest first, as soon as there are `count` in all (1 unless given). Rejects with a `TimeoutError` when there are not so
		 * many in time (4 seconds, unless `timeoutMs` is given).
		 */
		wait(inboxId: string | null, limits?: Partial<HitLimits>): Promise<readonly FaultHitBody[]>;
	};
};

/** What was waited for did not come in time; the message says what did, and why that was not it. */
export class TimeoutError extends Error {
	override readonly name = 'TimeoutError';
}

/** Fits into the 5 seconds that Vitest and Jest give a test, which then fails with what did arrive. */
const defaultTimeoutMs = 4000;

/** Messages that did arrive, or hits, and that the error tells of, at most. */
const maxTold = 5;

/**
 * The client for test suites. What is left out comes from the environment that `tinbox run` and
 * `tinbox daemon start --format env` set: `TINBOX_URL` and `TINBOX_API_KEY`.
 */
export function createClient(options: Partial<ClientOptions> = {}): TestClient {
	const {TINBOX_URL: url, TINBOX_API_KEY: apiKey} = process.env;
	assertKnown(options, ['url', 'apiKey', 'token', 'renewApiKey']);
	const given = {...(url && {url}), ...(apiKey && {apiKey}), ...options};
	if (given.url === undefined) {
		throw new Error('No tinbox is named. Run the tests with "tinbox run", set TINBOX_URL, or pass {url, apiKey}.');
	}

	const caller = createCaller({...given, url: given.url});
	const messages = messagesClient(caller);
	const faults = faultsClient(caller);
	return {
		inboxes: inboxesClient(caller),
		webhooks: webhooksClient(caller),
		messages: {
			...messages,
			async wait(inboxId, filter = {}, limits = {}) {
				assertKnown(limits, ['timeoutMs', 'signal']);
				const {timeoutMs = defaultTimeoutMs, signal} = limits;
				const since = wentWrongSince(new Date());
				const found = await messages.wait(inboxId, filter, {timeoutMs, signal});
				if (!found) {
					throw new TimeoutError(
						describe(filter, timeoutMs, await messages.misses(inboxId, filter, {limit: maxTold, since})),
					);
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
		`${hits.length === 0 ? 'No' : `Only ${hits.length}`} of ${count} hits came within ${timeoutMs / 1000} s.`,
		...(newest ? ['The newest:'] : []),
		...hits.slice(0, maxTold).map(hit => `  ${hit.time} ${describeFaultHit(hit)}`),
	]
		.map(sanitizeLine)
		.join('\n');
}

function describe(filter: ClientFilter, timeoutMs: number, {misses, refusals, hits, evicted}: MissesBody): string {
	const wanted = JSON.stringify(filter, (_, value) => (value instanceof RegExp ? String(value) : value));
	const arrived = misses.map(
		({message, reasons}) => `  "${message.subject}" from ${message.from}: ${reasons.join(' ')}`,
	);
	return [
		`No message ${wanted === '{}' ? '' : `with ${wanted} `}came within ${timeoutMs / 1000} s.`,
		arrived.length === 0 ? 'Nothing else arrived either.' : 'What did arrive:',
		...arrived,
		...wentWrongMeanwhile(refusals, hits, evicted),
	]
		.map(sanitizeLine)
		.join('\n');
}
