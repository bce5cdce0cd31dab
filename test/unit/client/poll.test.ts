import {afterEach, beforeEach, describe, expect, onTestFinished, test, vi} from 'vitest';
import {ApiError, UnreachableError} from '../../../src/client/errors.js';
import {apiClient} from '../../../src/client/index.js';
import {poll} from '../../../src/client/poll.js';
import {clock} from '../../../src/lib/time/sleep.js';
import {messageBody} from '../../helpers/bodies.js';
import {httpStub} from '../../helpers/http-stub.js';

/** Time stands still unless a test moves it, so that what is left of a wait is known. */
let time = 0;
beforeEach(() => {
	vi.spyOn(clock, 'now').mockImplementation(() => time);
});
afterEach(() => {
	vi.restoreAllMocks();
});

describe('a long wait', () => {
	/** A daemon that holds each poll to its end, until `found` says otherwise. */
	const daemon = (asked: number[], found: (call: number) => string | undefined) => async (seconds: number) => {
		time += seconds * 1000;
		return found(asked.push(seconds));
	};

	test.each([
		[30_000, [30]],
		[150_000, [60, 60, 30]],
		[60_000, [60]],
		[0, [0]],
	])('of %i ms is polls of at most 60 s, one right after the other', async (timeoutMs, polls) => {
		const asked: number[] = [];
		expect(
			await poll(
				daemon(asked, () => undefined),
				timeoutMs,
			),
		).toBeUndefined();
		expect(asked).toEqual(polls);
	});

	test('ends with the first match', async () => {
		const asked: number[] = [];
		expect(
			await poll(
				daemon(asked, call => (call === 2 ? 'it' : undefined)),
				600_000,
			),
		).toBe('it');
		expect(asked).toEqual([60, 60]);
	});
});

test('wait asks for the newest match', async () => {
	const message = messageBody();
	const {url, requests} = await httpStub(() => ({body: [message]}));
	const found = await apiClient({url}).messages.wait('i', {q: 'a', from: 'b'}, {timeoutMs: 5000});
	expect(found).toEqual(message);
	expect(requests.map(({url}) => url)).toEqual(['/v1/inboxes/i/messages?q=a&from=b&limit=1&wait=5']);
});

describe('a wait for several', () => {
	/** A daemon that has the first of these, and one more each time it is asked. */
	const growing = (ids: readonly string[], first = 1) => {
		let there = first - 1;
		return httpStub(({url}) => {
			there++;
			const query = new URL(url, 'http://x').searchParams;
			const after = ids.indexOf(query.get('after') ?? '');
			const rows = ids
				.slice(after + 1, there)
				.toReversed()
				.slice(0, Number(query.get('limit')));
			return {body: rows.map(id => messageBody({id}))};
		});
	};
	const collect = async (url: string, count: number, timeoutMs = 5000) =>
		(await apiClient({url}).messages.collect('i', {q: 'a'}, {count, timeoutMs})).map(({id}) => id);

	test('goes on behind the last one, and gives them in the order they came', async () => {
		const {url, requests} = await growing(['1', '2', '3', '4']);
		expect(await collect(url, 3)).toEqual(['1', '2', '3']);
		expect(requests.map(({url}) => url)).toEqual([
			'/v1/inboxes/i/messages?q=a&limit=3&wait=5',
			'/v1/inboxes/i/messages?q=a&after=1&limit=2&wait=5',
			'/v1/inboxes/i/messages?q=a&after=2&limit=1&wait=5',
		]);
	});

	test('gives the newest when there are more', async () => {
		const {url} = await growing(['1', '2', '3', '4'], 4);
		expect(await collect(url, 2)).toEqual(['3', '4']);
	});

	test('gives those that came when the time is over', async () => {
		const {url} = await growing(['1', '2']);
		expect(await collect(url, 3, 0)).toEqual(['1']);
	});
});

test('a wait of less than a second ends in time', async () => {
	vi.restoreAllMocks();
	const {url, requests} = await httpStub(() => null);
	expect(await apiClient({url}).messages.wait('i', {}, {timeoutMs: 100})).toBeUndefined();
	expect(new Set(requests.map(({url}) => url))).toEqual(new Set(['/v1/inboxes/i/messages?limit=1&wait=1']));
});

test('a wait goes on and ends while a test framework has stopped the time', async () => {
	vi.restoreAllMocks();
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout', 'performance', 'hrtime', 'Date']});
	onTestFinished(() => void vi.useRealTimers());
	const {url, requests} = await httpStub(() =>
		requests.length === 2 ? {status: 503, body: {code: 'unavailable', detail: 'Away.'}} : {body: []},
	);
	expect(await apiClient({url}).messages.wait('i', {}, {timeoutMs: 700})).toBeUndefined();
});

test('a wait ends with its signal', async () => {
	const leaving = new AbortController();
	const {url} = await httpStub(() => {
		leaving.abort(new Error('enough'));
		return null;
	});
	const waiting = apiClient({url}).messages.wait('i', {}, {timeoutMs: 60_000, signal: leaving.signal});
	await expect(waiting).rejects.toThrow('enough');
});

describe('a wait whose daemon goes away', () => {
	/** As often as it is asked: nothing yet, or this failure; at the end a message. */
	const answers = (...failures: ReadonlyArray<Error | undefined>) => {
		const asked: number[] = [];
		const ask = async (seconds: number) => {
			const failure = failures[asked.push(seconds) - 1];
			if (failure) {
				throw failure;
			}

			return asked.length > failures.length ? 'it' : undefined;
		};
		return {asked, ask};
	};
	const lost = (code: string) =>
		new UnreachableError('http://a', 'is lost.', {cause: Object.assign(new Error(code), {code})});
	const unavailable = new ApiError({status: 503, code: 'unavailable', detail: 'The database is away.'});
	const stopping = new ApiError({status: 503, code: 'stopping', detail: 'The daemon is stopping.'});

	test.each<{failures: ReadonlyArray<Error | undefined>}>([
		{failures: [undefined, lost('ECONNREFUSED'), lost('ECONNREFUSED')]},
		{failures: [undefined, stopping, lost('ECONNREFUSED')]},
		{failures: [undefined, unavailable]},
		{failures: [lost('ECONNRESET'), lost('ECONNREFUSED')]},
	])('goes on when it was there once: $failures', async ({failures}) => {
		const {asked, ask} = answers(...failures);
		expect(await poll(ask, 60_000)).toBe('it');
		expect(asked).toHaveLength(failures.length + 1);
	});

	test.each<{failures: ReadonlyArray<Error | undefined>}>([
		{failures: [lost('ECONNREFUSED')]},
		{failures: [stopping]},
		{failures: [undefined, lost('CERT_HAS_EXPIRED')]},
		{failures: [undefined, new UnreachableError('http://a', 'did not return a tinbox response.')]},
		{failures: [undefined, new ApiError({status: 404, code: 'not_found', detail: 'Gone.'})]},
	])('ends at once otherwise: $failures', async ({failures}) => {
		await expect(poll(answers(...failures).ask, 60_000)).rejects.toBe(failures.at(-1));
	});

	test('says so when the time is over, and ends with its signal', async () => {
		vi.restoreAllMocks();
		const away = async () => Promise.reject(lost('ECONNRESET'));
		const over = {
			name: 'UnreachableError',
			message: 'http://a became unavailable and did not come back before the timeout.',
		};
		await expect(poll(away, 200)).rejects.toMatchObject(over);
		await expect(poll(away, 60_000, AbortSignal.timeout(50))).rejects.toMatchObject({name: 'TimeoutError'});
	});
});
