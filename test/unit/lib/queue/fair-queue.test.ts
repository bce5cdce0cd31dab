import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FairQueue} from '../../../../src/lib/queue/fair-queue.js';

/** A queue whose tasks end when `end` is called with their names. The first letter of a name is the holder. */
function openQueue(concurrency: number, maxPerHolder?: number) {
	const queue = new FairQueue(concurrency, maxPerHolder);
	const begun: string[] = [];
	const ends = new Map<string, () => void>();
	const add = (...names: readonly string[]) => {
		for (const name of names) {
			const work = async () => {
				begun.push(name);
				await new Promise<void>(resolve => ends.set(name, resolve));
			};
			void queue.run(name.slice(0, 1), work);
		}
	};
	const end = async (name: string) => {
		ends.get(name)?.();
		await new Promise(setImmediate);
	};
	return {queue, begun, add, end};
}

test('holders take turns, however many tasks one of them has added before', async () => {
	const {begun, add, end} = openQueue(1);
	add('a1', 'a2', 'a3', 'b1', 'c1', 'b2');
	for (const name of ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']) {
		await end(name);
	}

	expect(begun).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('a holder never has more running tasks than it leaves free slots for others', async () => {
	const {begun, add, end} = openQueue(3);
	add('a1', 'a2', 'a3', 'b1', 'c1');
	expect(begun).toEqual(['a1', 'a2', 'b1']);
	await end('b1');
	expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
	await end('a1');
	expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
	await end('c1');
	expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3']);
});

test('of two slots, each of two holders gets one', async () => {
	const {begun, add, end} = openQueue(2);
	add('a1', 'a2', 'a3', 'b1');
	expect(begun).toEqual(['a1', 'b1']);
	await end('b1');
	add('b2');
	expect(begun).toEqual(['a1', 'b1', 'b2']);
	await end('a1');
	expect(begun).toEqual(['a1', 'b1', 'b2', 'a2']);
});

test('a holder with many tasks leaves half of the slots free and gets more when the tasks of others end', async () => {
	const {queue, begun, add, end} = openQueue(512);
	const names = (owner: string, count: number) => Array.from({length: count}, (_, index) => `${owner}${index}`);
	add(...names('a', 600));
	expect([begun.length, queue.free]).toEqual([256, 256]);
	expect([queue.capacity('a'), queue.capacity('b')]).toEqual([0, 128]);
	add(...names('b', 600));
	expect([begun.length, queue.free]).toEqual([384, 128]);
	for (const name of names('b', 128)) {
		await end(name);
	}

	const begunBy = (owner: string) => begun.filter(name => name.startsWith(owner)).length;
	expect([begunBy('a'), begunBy('b') - 128, queue.free]).toEqual([256, 128, 128]);
	for (const name of names('a', 150)) {
		await end(name);
	}

	expect(Math.abs(begunBy('a') - 150 - (begunBy('b') - 128))).toBeLessThanOrEqual(1);
});

test('a 512th holder gets a slot while the tasks of 511 others never end', () => {
	const queue = new FairQueue(512);
	for (let count = 0; count < 511; count += 1) {
		void queue.run(`o${count}`, async () => new Promise(() => {}));
	}

	expect([queue.free, queue.capacity('last')]).toEqual([1, 1]);
	void queue.run('last', async () => new Promise(() => {}));
	expect([queue.free, queue.capacity('another')]).toEqual([0, 0]);
});

test('a holder never runs more tasks than the limit per holder, however many slots are free', async () => {
	const {begun, add, end} = openQueue(5, 1);
	add('a1', 'a2', 'b1');
	expect(begun).toEqual(['a1', 'b1']);
	await end('a1');
	expect(begun).toEqual(['a1', 'b1', 'a2']);
});

test('a failed task rejects its own promise only, and the next task runs', async () => {
	const {queue} = openQueue(1);
	const failing = queue.run('a', async () => Promise.reject(new Error('no')));
	const next = queue.run('a', async () => 'next');
	await expect(failing).rejects.toThrow('no');
	expect(await next).toBe('next');
});

test('all tasks run, in order per holder, and never more at a time than the concurrency', async () => {
	const check = async (owners: readonly string[], concurrency: number) => {
		const queue = new FairQueue(concurrency);
		let running = 0;
		const done: [string, number][] = [];
		const works = owners.map(async (owner, index) =>
			queue.run(owner, async () => {
				running++;
				expect(running).toBeLessThanOrEqual(concurrency);
				await Promise.resolve();
				running--;
				done.push([owner, index]);
			}),
		);
		await Promise.all(works);
		const added = owners.map((owner, index): [string, number] => [owner, index]);
		for (const each of new Set(owners)) {
			const of = (rows: readonly [string, number][]) => rows.filter(([owner]) => owner === each);
			expect(of(done)).toEqual(of(added));
		}
	};
	const someOwners = fc.array(fc.constantFrom('a', 'b', 'c'), {maxLength: 30});
	await fc.assert(fc.asyncProperty(someOwners, fc.integer({min: 1, max: 4}), check));
});
