import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FairCache} from '../../../../src/lib/queue/fair-cache.js';

/** A cache of 100 bytes whose values are their own keys; `kept` returns the keys that are still cached. */
function openCache() {
	const cache = new FairCache<string>(100);
	const set = (owner: string, key: string, bytes: number) => cache.set(owner, key, key, bytes);
	const cached = (...keys: readonly string[]) => keys.filter(key => cache.get(key) === key);
	return {cache, set, cached};
}

test('a full cache evicts the least recently used entry of the owner with the most bytes', () => {
	const {cache, set, cached} = openCache();
	set('ada', 'a1', 30);
	set('bob', 'b1', 30);
	set('ada', 'a2', 30);
	cache.get('a1');
	set('bob', 'b2', 20);
	expect(cached('a1', 'a2', 'b1', 'b2')).toEqual(['a1', 'b1', 'b2']);
});

test('an entry larger than the cache is not stored, and its previous value is removed', () => {
	const {set, cached} = openCache();
	set('ada', 'a1', 10);
	set('ada', 'a2', 10);
	set('ada', 'a1', 101);
	expect(cached('a1', 'a2')).toEqual(['a2']);
});

test('an entry set by several owners counts for the last one', () => {
	const {set, cached} = openCache();
	set('ada', 'shared', 60);
	set('bob', 'shared', 10);
	set('ada', 'a1', 40);
	set('bob', 'b1', 60);
	expect(cached('shared', 'a1', 'b1')).toEqual(['a1', 'b1']);
});

test('a fair cache never exceeds its size, and an owner within an equal share loses nothing', () => {
	const modest = fc.record({owner: fc.constant('ada'), number: fc.nat(2), bytes: fc.integer({min: 1, max: 11})});
	const greedy = fc.record({
		owner: fc.constantFrom('bob', 'eve'),
		number: fc.nat(9),
		bytes: fc.integer({min: 1, max: 120}),
	});
	fc.assert(
		fc.property(fc.array(fc.oneof(modest, greedy), {maxLength: 50}), sets => {
			const {set, cached} = openCache();
			const bytesOf = new Map<string, number>();
			for (const {owner, number, bytes} of sets) {
				const key = `${owner}${number}`;
				set(owner, key, bytes);
				bytesOf.set(key, bytes);
			}

			const modestKeys = [...bytesOf.keys()].filter(key => key.startsWith('ada'));
			expect(cached(...modestKeys)).toEqual(modestKeys);
			const total = cached(...bytesOf.keys()).reduce((sum, key) => sum + (bytesOf.get(key) ?? 0), 0);
			expect(total).toBeLessThanOrEqual(100);
		}),
	);
});
