import fc from 'fast-check';
import {expect, test} from 'vitest';
import {
	type AttemptResult,
	afterAttempt,
	type Delivery,
	maxAttempts,
} from '../../../../src/domain/webhooks/delivery.js';

const fresh: Delivery = {
	id: 'd1',
	endpointId: 'e1',
	event: 'message.received',
	messageId: 'm1',
	body: '{}',
	isTest: false,
	status: 'pending',
	attempts: 0,
	nextAttemptAt: '2026-01-01T00:00:00.000Z',
	lastAttemptAt: null,
	responseStatus: null,
	responseBody: null,
	createdAt: '2026-01-01T00:00:00.000Z',
};
const at = new Date('2026-01-01T00:00:00.000Z');
const ok: AttemptResult = {ok: true, status: 204, body: ''};
const refused: AttemptResult = {ok: false, status: 500, body: 'no'};
const lost: AttemptResult = {ok: false, status: null, body: 'connect ECONNREFUSED'};

const attempt = fc.constantFrom(ok, refused, lost);

test('an acknowledged delivery has the status "delivered" and no next attempt', () => {
	expect(afterAttempt(fresh, ok, at, 30_000)).toEqual({
		...fresh,
		status: 'delivered',
		attempts: 1,
		nextAttemptAt: null,
		lastAttemptAt: at.toISOString(),
		responseStatus: 204,
		responseBody: '',
	});
});

test('a failed delivery is retried with a growing delay and is dead after the third attempt', () => {
	const first = afterAttempt(fresh, refused, at, 30_000);
	expect(first).toMatchObject({status: 'failed', attempts: 1, nextAttemptAt: '2026-01-01T00:00:30.000Z'});
	const second = afterAttempt(first, lost, at, 30_000);
	expect(second).toMatchObject({status: 'failed', attempts: 2, nextAttemptAt: '2026-01-01T00:01:00.000Z'});
	const third = afterAttempt(second, refused, at, 30_000);
	expect(third).toMatchObject({status: 'dead', attempts: 3, nextAttemptAt: null, responseStatus: 500});
});

test('a failed test delivery is not retried', () => {
	const tested = afterAttempt({...fresh, isTest: true}, lost, at, 30_000);
	expect(tested).toMatchObject({status: 'failed', attempts: 1, nextAttemptAt: null, responseStatus: null});
});

test('any sequence of responses leads to the documented states', () => {
	fc.assert(
		fc.property(fc.array(attempt, {maxLength: 6}), fc.boolean(), fc.nat(60_000), (answers, isTest, retryDelayMs) => {
			let delivery: Delivery = {...fresh, isTest};
			for (const [index, answer] of answers.entries()) {
				const next = afterAttempt(delivery, answer, at, retryDelayMs);
				expect(next.attempts).toBe(index + 1);
				expect(next.status === 'delivered').toBe(answer.ok);
				expect(next.status === 'dead').toBe(!answer.ok && !isTest && next.attempts >= maxAttempts);
				const waitsMs = next.nextAttemptAt === null ? null : Date.parse(next.nextAttemptAt) - at.getTime();
				expect(waitsMs).toBe(next.status === 'failed' && !isTest ? next.attempts * retryDelayMs : null);
				expect({...next, id: 'd1', body: '{}', messageId: 'm1', createdAt: fresh.createdAt}).toEqual(next);
				delivery = next;
			}
		}),
	);
});
