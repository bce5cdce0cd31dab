import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {countEvent, type Fault, noCount, readFaultReply, seededRandom} from '../../../../src/domain/faults/fault.js';

type Rule = Pick<Fault, 'after' | 'times' | 'rate' | 'probability' | 'seed'>;

const always: Rule = {after: null, times: null, rate: null, probability: null, seed: null};

/** Counts events at the given times. Returns for each event if the fault acted, and the last count. */
function actions(rule: Rule, times: readonly number[]) {
	let count = noCount;
	const acted = times.map(time => {
		const step = countEvent(rule, count, time);
		count = step.count;
		return step.acts;
	});
	return {acted, count};
}

/** Times of `count` simultaneous events. */
const atOnce = (count: number) => Array.from({length: count}, () => 0);

const rules = fc.record({
	after: fc.option(fc.nat(5)),
	times: fc.option(fc.integer({min: 1, max: 5})),
	rate: fc.option(fc.record({count: fc.integer({min: 1, max: 4}), seconds: fc.integer({min: 1, max: 5})})),
	probability: fc.option(fc.double({min: 0.1, max: 1, noNaN: true})),
	seed: fc.nat(),
});

/** Ascending times in milliseconds. */
const moments = fc.array(fc.nat(3000), {maxLength: 40}).map(pauses => {
	let now = 0;
	return pauses.map(pause => {
		now += pause;
		return now;
	});
});

describe('countEvent', () => {
	test('acts after "after" events and at most "times" times', () => {
		expect(actions({...always, times: 2}, atOnce(4)).acted).toEqual([true, true, false, false]);
		expect(actions({...always, after: 2}, atOnce(4)).acted).toEqual([false, false, true, true]);
		expect(actions({...always, after: 1, times: 1}, atOnce(4)).acted).toEqual([false, true, false, false]);
		expect(actions(always, atOnce(2)).acted).toEqual([true, true]);
	});

	test('passes at most the rate per sliding window, and events on which it acts do not count', () => {
		const rate = {count: 2, seconds: 1};
		expect(actions({...always, rate}, [0, 100, 200, 999, 1000, 1001, 1100, 1101]).acted).toEqual([
			false,
			false,
			true,
			true,
			false,
			true,
			false,
			true,
		]);
	});

	test('counts events and actions, and keeps no more times than the rate needs', () => {
		fc.assert(
			fc.property(rules, moments, (rule, times) => {
				const {acted, count} = actions(rule, times);
				expect(count.seen).toBe(times.length);
				expect(count.acted).toBe(acted.filter(Boolean).length);
				expect(count.passedAt.length).toBeLessThanOrEqual(rule.rate?.count ?? 0);
				expect(count.acted).toBeLessThanOrEqual(rule.times ?? Number.POSITIVE_INFINITY);
				expect(acted.slice(0, rule.after ?? 0)).not.toContain(true);
			}),
		);
	});

	test('acts exactly on the events that exceed the rate', () => {
		fc.assert(
			fc.property(rules, moments, ({rate}, times) => {
				const {acted} = actions({...always, rate}, times);
				const passed = times.filter((_, index) => !acted[index]);
				for (const [index, time] of times.entries()) {
					const before = passed.filter(other => other <= time && other > time - (rate?.seconds ?? 0) * 1000);
					expect(before.length).toBeLessThanOrEqual(rate?.count ?? 0);
					// It acts only if the rate is used up.
					expect(acted[index] && rate ? before.length : rate?.count).toBe(rate?.count);
				}
			}),
		);
	});

	test('is deterministic', () => {
		fc.assert(
			fc.property(rules, moments, (rule, times) => {
				expect(actions(rule, times)).toEqual(actions(rule, times));
			}),
		);
	});
});

describe('seededRandom', () => {
	test('returns a reproducible sequence per seed, evenly distributed from 0 to 1', () => {
		const sequence = (seed: number) => Array.from({length: 1000}, (_, index) => seededRandom(seed, index + 1));
		expect(sequence(7)).toEqual(sequence(7));
		expect(sequence(7)).not.toEqual(sequence(8));
		const numbers = sequence(7);
		expect(numbers.every(number => number >= 0 && number < 1)).toBe(true);
		const below = numbers.filter(number => number < 0.3).length;
		expect(below).toBeGreaterThan(250);
		expect(below).toBeLessThan(350);
	});

	test('decides how often a fault with a probability acts', () => {
		const {acted} = actions({...always, probability: 0.3, seed: 7}, atOnce(1000));
		expect(acted.filter(Boolean).length).toBe(
			Array.from(acted, (_, index) => seededRandom(7, index + 1) < 0.3).filter(Boolean).length,
		);
		expect(actions({...always, probability: 1, seed: 7}, atOnce(50)).acted).not.toContain(false);
	});
});

describe('readFaultReply', () => {
	test.each([
		['451 4.7.1 Try again later', {code: 451, enhanced: '4.7.1', text: 'Try again later'}],
		['550 No such user', {code: 550, enhanced: '5.0.0', text: 'No such user'}],
		['  421  4.3.2  Not now ', {code: 421, enhanced: '4.3.2', text: 'Not now'}],
		['450 4.7.100', {code: 450, enhanced: '4.7.100', text: expect.any(String)}],
		['554', {code: 554, enhanced: '5.0.0', text: expect.any(String)}],
		['550 10.0.0.1 is blocked', {code: 550, enhanced: '5.0.0', text: '10.0.0.1 is blocked'}],
		['550 5.1.1', {code: 550, enhanced: '5.1.1', text: expect.any(String)}],
	])('parses %j', (reply, read) => {
		expect(readFaultReply(reply)).toEqual(read);
	});

	test.each([
		'',
		'Later',
		'250 Fine',
		'354 Go on',
		'45 Later',
		'4511 Later',
		'451\r\n250 Fine',
		'451 a\nb',
		'451 ä',
		'451-Later',
	])('rejects %j', reply => {
		expect(readFaultReply(reply)).toBeUndefined();
	});

	test('returns one line of printable ASCII for any accepted input', () => {
		const text = fc.string({
			unit: fc.constantFrom('4', '5', '.', ' ', '\t', '\r', '\n', 'a', 'ä', '\0', '-'),
			maxLength: 20,
		});
		fc.assert(
			fc.property(fc.tuple(fc.constantFrom('451', '550 ', ''), text), ([start, rest]) => {
				const reply = readFaultReply(start + rest);
				expect(reply === undefined || /^[\x20-\x7e]+$/.test(`${reply.code} ${reply.enhanced} ${reply.text}`)).toBe(
					true,
				);
			}),
		);
	});
});
