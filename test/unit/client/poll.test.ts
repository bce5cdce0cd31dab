import {afterEach, beforeEach, describe, expect, onTestFinished, test, vi} from 'vitest';
import {ApiError, UnreachableError} from '../../../src/client/errors.js';
import {apiClient} from '../../../src/client/index.js';
import {poll} from '../../../src/client/poll.js';
import {clock} from '../../../src/lib/time/sleep.js';
import {messageBody} from '../../helpers/bodies.js';
import {httpStub} from '../../helpers/http-stub.js';

/** Fake monotonic time in milliseconds; only tests advance it. */
let time = 0;
beforeEach(() => {
	vi.spyOn(clock, 'now').mockImplementation(() => time);
});
afterEach(() => {
	vi.restoreAllMocks();
});

describe('a long wait', () => {
	/** A daemon that holds each poll for its full time; records their seconds in `polls`. */
	const daemon = (polls: number[], resultOf: (call: number) => string | undefined) => async (seconds: number) => {
		time += seconds * 1000;
		return resultOf(polls.push(seconds));
	};

	test.each([
		[30_000, [30]],
		[150_000, [60, 60, 30]],
		[60_000, [60]],
		[0, [0]],
	])('of %i ms is split into polls of at most 60 s', async (timeoutMs, expected) => {
		const polls: number[] = [];
		expect(
			await poll(
				daemon(polls, () => undefined),
				timeoutMs,
			),
		).toBeUndefined();
		expect(polls).toEqual(expected);
	});

	test('ends with the first match', async () => {
		const polls: number[] = [];
		expect(
			await poll(
				daemon(polls, call => (call === 2 ? 'it' : undefined)),
				600_000,
			),
		).toBe('it');
		expect(polls).toEqual([60, 60]);
	});
});

test('a wait requests the newest match', async () => {
	const message = messageBody();
	const {url, requests} = await httpStub(() => ({body: [message]}));
	const found = await apiClient({url}).messages.wait('i', {q: 'a', from: 'b'}, {timeoutMs: 5000});
	expect(found).toEqual(message);
	expect(requests.map(({url}) => url)).toEqual(['/v1/inboxes/i/messages?q=a&from=b&limit=1&wait=5']);
});

describe('a wait for several messages', () => {
	/** A daemon that has the first messages and receives one more per request. */
	const growing = (ids: readonly string[], first = 1) => {
		let received = first - 1;
		return httpStub(({url}) => {
			received++;
			const query = new URL(url, 'http://x').searchParams;
			const after = ids.indexOf(query.get('after') ?? '');
			const rows = ids
				.slice(after + 1, received)
				.toReversed()
				.slice(0, Number(query.get('limit')));
			return {body: rows.map(id => messageBody({id}))};
		});
	};
	const collect = async (url: string, count: number, timeoutMs = 5000) =>
		(await apiClient({url}).messages.collect('i', {q: 'a'}, {count, timeoutMs})).map(({id}) => id);

	test('continues after the last message and returns them in arrival order', async () => {
		const {url, requests} = await growing(['1', '2', '3', '4']);
		expect(await collect(url, 3)).toEqual(['1', '2', '3']);
		expect(requests.map(({url}) => url)).toEqual([
			'/v1/inboxes/i/messages?q=a&limit=3&wait=5',
			'/v1/inboxes/i/messages?q=a&after=1&limit=2&wait=5',
			'/v1/inboxes/i/messages?q=a&after=2&limit=1&wait=5',
		]);
	});

	test('returns the newest messages if there are more', async () => {
		const {url} = await growing(['1', '2', '3', '4'], 4);
		expect(await collect(url, 2)).toEqual(['3', '4']);
	});

	test('returns the messages received until the timeout', async () => {
		const {url} = await growing(['1', '2']);
		expect(await collect(url, 3, 0)).toEqual(['1']);
	});
});

test('a wait of less than a second ends at its timeout', async () => {
	vi.restoreAllMocks();
	const {url, requests} = await httpStub(() => null);
	expect(await apiClient({url}).messages.wait('i', {}, {timeoutMs: 100})).toBeUndefined();
	expect(new Set(requests.map(({url}) => url))).toEqual(new Set(['/v1/inboxes/i/messages?limit=1&wait=1']));
});

test('a wait retries and times out under fake timers', async () => {
	vi.restoreAllMocks();
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'performance', 'hrtime', 'Date']});
	onTestFinished(() => void vi.useRealTimers());
	const {url, requests} = await httpStub(() =>
		requests.length === 2 ? {status: 503, body: {code: 'unavailable', detail: 'Away.'}} : {body: []},
	);
	expect(await apiClient({url}).messages.wait('i', {}, {timeoutMs: 700})).toBeUndefined();
});

test('a wait ends with the reason of its aborted signal', async () => {
	const controller = new AbortController();
	const {url} = await httpStub(() => {
		controller.abort(new Error('enough'));
		return null;
	});
	const waiting = apiClient({url}).messages.wait('i', {}, {timeoutMs: 60_000, signal: controller.signal});
	await expect(waiting).rejects.toThrow('enough');
});

describe('a wait whose daemon becomes unavailable', () => {
	/** Polls that fail or return nothing in this order, then return a message. */
	const failingPolls = (...failures: ReadonlyArray<Error | undefined>) => {
		const polls: number[] = [];
		const request = async (seconds: number) => {
			const failure = failures[polls.push(seconds) - 1];
			if (failure) {
				throw failure;
			}

			return polls.length > failures.length ? 'it' : undefined;
		};
		return {polls, request};
	};
	const lost = (code: string) =>
		new UnreachableError('http://a', 'is lost.', {cause: Object.assign(new Error(code), {code})});
	const unavailable = new ApiError({status: 503, code: 'unavailable', detail: 'The database is away.'});
	const stopping = new ApiError({status: 503, code: 'stopping', detail: 'The daemon is stopping.'});

	test.each<[title: string, failures: ReadonlyArray<Error | undefined>]>([
		['refused connections after a first poll', [undefined, lost('ECONNREFUSED'), lost('ECONNREFUSED')]],
		['a stopping daemon and a refused connection', [undefined, stopping, lost('ECONNREFUSED')]],
		['an unavailable database', [undefined, unavailable]],
		['a reset and a refused connection', [lost('ECONNRESET'), lost('ECONNREFUSED')]],
	])('retries after %s', async (_, failures) => {
		const {polls, request} = failingPolls(...failures);
		expect(await poll(request, 60_000)).toBe('it');
		expect(polls).toHaveLength(failures.length + 1);
	});

	test.each<[title: string, failures: ReadonlyArray<Error | undefined>]>([
		['a refused first connection', [lost('ECONNREFUSED')]],
		['a first response of a stopping daemon', [stopping]],
		['an expired certificate', [undefined, lost('CERT_HAS_EXPIRED')]],
		[
			'a response of another server',
			[undefined, new UnreachableError('http://a', 'did not return a tinbox response.')],
		],
		['an API error', [undefined, new ApiError({status: 404, code: 'not_found', detail: 'Gone.'})]],
	])('fails immediately after %s', async (_, failures) => {
		await expect(poll(failingPolls(...failures).request, 60_000)).rejects.toBe(failures.at(-1));
	});

	test('reports the outage at the timeout and ends with its signal', async () => {
		vi.restoreAllMocks();
		const unreachable = async () => Promise.reject(lost('ECONNRESET'));
		const timeoutError = {
			name: 'UnreachableError',
			message: 'http://a became unavailable and did not come back before the timeout.',
		};
		await expect(poll(unreachable, 200)).rejects.toMatchObject(timeoutError);
		await expect(poll(unreachable, 60_000, AbortSignal.timeout(50))).rejects.toMatchObject({name: 'TimeoutError'});
	});
});
