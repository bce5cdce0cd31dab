import {expect, test} from 'vitest';
import {HostResolver, type Resolve} from '../../../../src/lib/io/resolver.js';

const {signal} = new AbortController();

/** A resolver that answers when it is told to, with an address or an error. */
function openNames(threads: number) {
	const asked: string[] = [];
	const answers = new Map<string, Parameters<Resolve>[2]>();
	const resolve: Resolve = (hostname, _, callback) => {
		asked.push(hostname);
		answers.set(hostname, callback);
	};
	const names = new HostResolver(resolve, threads);
	const find = async (userId: string, hostname: string) => names.find({userId, hostname, signal});
	return {names, asked, answers, find};
}

test('names that are never found hold up no other user', async () => {
	const {asked, answers, find} = openNames(4);
	for (const hostname of ['a1.test', 'a2.test', 'a3.test']) {
		find('ann', hostname).catch(() => {});
	}

	const found = find('bob', 'b1.test');
	expect(asked).toEqual(['a1.test', 'b1.test']);
	answers.get('b1.test')?.(null, [{address: '192.0.2.1', family: 4}]);
	expect(await found).toEqual([{address: '192.0.2.1', family: 4}]);
	answers.get('a1.test')?.(new Error('no such name'), []);
	await new Promise(setImmediate);
	expect(asked).toEqual(['a1.test', 'b1.test', 'a2.test']);
});

test('a user asks for several at a time where there are threads, and others can ask as well', () => {
	const {asked, find} = openNames(16);
	for (let count = 1; count <= 9; count += 1) {
		find('ann', `a${count}.test`).catch(() => {});
	}

	find('bob', 'b1.test').catch(() => {});
	expect(asked).toEqual(['a1.test', 'a2.test', 'a3.test', 'a4.test', 'b1.test']);
});

test('what nobody wants to know any more is not asked', async () => {
	const {names, asked, answers, find} = openNames(4);
	const first = find('ann', 'a1.test');
	const attempt = new AbortController();
	const late = names.find({userId: 'ann', hostname: 'a2.test', signal: attempt.signal});
	attempt.abort(new Error('too late'));
	answers.get('a1.test')?.(new Error('no such name'), []);
	await expect(first).rejects.toThrow('no such name');
	await expect(late).rejects.toThrow('too late');
	expect(asked).toEqual(['a1.test']);
});

test('a name without an address is an error', async () => {
	const {answers, find} = openNames(4);
	const found = find('ann', 'empty.test');
	answers.get('empty.test')?.(null, []);
	await expect(found).rejects.toThrow('empty.test has no address');
});
