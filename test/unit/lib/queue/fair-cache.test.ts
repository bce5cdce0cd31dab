import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FairCache} from '../../../../src/lib/queue/fair-cache.js';

/** A cache of 100 bytes whose values are their own keys; a key is found as long as it is kept. */
function openCache() {
	const cache = new FairCache<string>(100);
	const set = (owner: string, key: string, bytes: number) => cache.set(owner, key, key, bytes);
	const kept = (...keys: readonly string[]) => keys.filter(key => cache.get(key) === key);
	return {cache, set, kept};
}

test('the owner who keeps most loses what was not used for longest', () => {
	const {cache, set, kept} = openCache();
	set('ada', 'a1', 30);
	set('bob', 'b1', 30);
	set('ada', 'a2', 30);
	cache.get('a1');
	set('bob', 'b2', 20);
	expect(kept('a1', 'a2', 'b1', 'b2')).toEqual(['a1', 'b1', 'b2']);
});

test('what is larger than the cache is not kept, nor is what it was before', () => {
	const {set, kept} = openCache();
	set('ada', 'a1', 10);
	set('ada', 'a2', 10);
	set('ada', 'a1', 101);
	expect(kept('a1', 'a2')).toEqual(['a2']);
});

test('it is the last one who keeps what several set', () => {
	const {set, kept} = openCache();
	set('ada', 'shared', 60);
	set('bob', 'shared', 10);
	set('ada', 'a1', 40);
	set('bob', 'b1', 60);
	expect(kept('shared', 'a1', 'b1')).toEqual(['a1', 'b1']);
});

test('no more is kept than may be, and who keeps no more than an even part of it loses nothing', () => {
	const modest = fc.record({owner: fc.constant('ada'), number: fc.nat(2), bytes: fc.integer({min: 1, max: 11})});
	const greedy = fc.record({
		owner: fc.constantFrom('bob', 'eve'),
		number: fc.nat(9),
		bytes: fc.integer({min: 1, max: 120}),
	});
	fc.assert(
		fc.property(fc.array(fc.oneof(modest, greedy), {maxLength: 50}), sets => {
			const {set, kept} = openCache();
			const bytesOf = new Map<string, number>();
			for (const {owner, number, bytes} of sets) {
				const key = `${owner}${number}`;
				set(owner, key, bytes);
				bytesOf.set(key, bytes);
			}

			const modestKeys = [...bytesOf.keys()].filter(key => key.startsWith('ada'));
			expect(kept(...modestKeys)).toEqual(modestKeys);
			const total = kept(...bytesOf.keys()).reduce((sum, key) => sum + (bytesOf.get(key) ?? 0), 0);
			expect(total).toBeLessThanOrEqual(100);
		}),
	);
});
