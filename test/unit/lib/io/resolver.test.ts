import {expect, test} from 'vitest';
import {HostResolver, type Resolve} from '../../../../src/lib/io/resolver.js';

const {signal} = new AbortController();

/** A resolver whose lookups end when the test calls their callback in `callbacks`. */
function openResolver(threads: number) {
	const lookups: string[] = [];
	const callbacks = new Map<string, Parameters<Resolve>[2]>();
	const resolve: Resolve = (hostname, _, callback) => {
		lookups.push(hostname);
		callbacks.set(hostname, callback);
	};
	const resolver = new HostResolver(resolve, threads);
	const find = async (userId: string, hostname: string) => resolver.find({userId, hostname, signal});
	return {resolver, lookups, callbacks, find};
}

test('slow lookups of one user do not delay the lookups of another', async () => {
	const {lookups, callbacks, find} = openResolver(4);
	for (const hostname of ['a1.test', 'a2.test', 'a3.test']) {
		find('ann', hostname).catch(() => {});
	}

	const found = find('bob', 'b1.test');
	expect(lookups).toEqual(['a1.test', 'b1.test']);
	callbacks.get('b1.test')?.(null, [{address: '192.0.2.1', family: 4}]);
	expect(await found).toEqual([{address: '192.0.2.1', family: 4}]);
	callbacks.get('a1.test')?.(new Error('no such name'), []);
	await new Promise(setImmediate);
	expect(lookups).toEqual(['a1.test', 'b1.test', 'a2.test']);
});

test('a user has several concurrent lookups if there are enough threads, and leaves some for others', () => {
	const {lookups, find} = openResolver(16);
	for (let count = 1; count <= 9; count += 1) {
		find('ann', `a${count}.test`).catch(() => {});
	}

	find('bob', 'b1.test').catch(() => {});
	expect(lookups).toEqual(['a1.test', 'a2.test', 'a3.test', 'a4.test', 'b1.test']);
});

test('an aborted lookup that has not started is skipped', async () => {
	const {resolver, lookups, callbacks, find} = openResolver(4);
	const first = find('ann', 'a1.test');
	const attempt = new AbortController();
	const late = resolver.find({userId: 'ann', hostname: 'a2.test', signal: attempt.signal});
	attempt.abort(new Error('too late'));
	callbacks.get('a1.test')?.(new Error('no such name'), []);
	await expect(first).rejects.toThrow('no such name');
	await expect(late).rejects.toThrow('too late');
	expect(lookups).toEqual(['a1.test']);
});

test('a host name without an address is an error', async () => {
	const {callbacks, find} = openResolver(4);
	const found = find('ann', 'empty.test');
	callbacks.get('empty.test')?.(null, []);
	await expect(found).rejects.toThrow('empty.test has no address');
});
