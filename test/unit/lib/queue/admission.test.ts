import fc from 'fast-check';
import {expect, test} from 'vitest';
import {Admission, type Holder} from '../../../../src/lib/queue/admission.js';

/** Admission with a clock that only the work of holders moves. */
function simulated(concurrency = 64, givesSlotsInTurn = false) {
	let clock = 0;
	const admission = new Admission({concurrency, givesSlotsInTurn, now: () => clock});
	return {
		admission,
		now: () => clock,
		work: (ms: number) => {
			clock += ms;
		},
	};
}

const holder = (group: string, member = ''): Holder => ({group, member});
const nextTurn = async () => new Promise(resolve => setImmediate(resolve));

test('with up to 64 busy holders, another one waits at most 250 ms, and each gets at least half of its fair share', async () => {
	const cost = fc.double({min: 0.2, max: 3, noNaN: true});
	await fc.assert(
		fc.asyncProperty(
			fc.constantFrom(1, 8, 64),
			fc.array(fc.record({cost, tasks: fc.integer({min: 3, max: 20}), steps: fc.integer({min: 1, max: 5})}), {
				minLength: 64,
				maxLength: 64,
			}),
			fc.boolean(),
			async (count, kinds, isOneGroup) => {
				const {admission, now, work} = simulated();
				const used = new Map<number, number>();
				let isOver = false;
				const loads = kinds.slice(0, count).flatMap(({cost, tasks, steps}, index) => {
					const own = isOneGroup ? holder('address', String(index)) : holder(String(index));
					const step = () => {
						work(cost);
						used.set(index, (used.get(index) ?? 0) + cost);
					};
					return Array.from({length: tasks}, async () => {
						while (!isOver) {
							await admission.run(own, async () => {
								step();
								for (let more = 1; more < steps && !isOver; more++) {
									await admission.turn(own);
									step();
								}
							});
						}
					});
				});
				const waits: number[] = [];
				while (now() < 3000) {
					const asked = now();
					await admission.run(isOneGroup ? holder('address', 'other') : holder('other'), () => {
						waits.push(now() - asked);
					});
					await nextTurn();
				}

				const shares = [...used.values()];
				isOver = true;
				await Promise.all(loads);
				expect(Math.max(...waits)).toBeLessThan(250);
				expect(Math.min(...shares)).toBeGreaterThan(3000 / count / 2);
			},
		),
		{numRuns: 15, endOnFailure: true},
	);
});

test('a holder leaves slots for others, however many tasks it has', async () => {
	const {admission} = simulated(8);
	let running = 0;
	const release: Array<() => void> = [];
	for (let task = 0; task < 100; task++) {
		void admission.run(holder('busy'), async () => {
			running++;
			await new Promise<void>(resolve => release.push(resolve));
			running--;
		});
	}

	await nextTurn();
	expect(running).toBe(3);
	expect(await admission.run(holder('other'), () => 'done')).toBe('done');
	for (let task = 0; task < 100; task++) {
		release.pop()?.();
		await nextTurn();
	}

	expect(running).toBe(0);
});

test('members of a group leave slots for other members', async () => {
	const {admission} = simulated(8);
	let running = 0;
	for (let task = 0; task < 100; task++) {
		void admission.run(holder('address', 'busy'), async () => {
			running++;
			await new Promise(() => {});
		});
	}

	await nextTurn();
	expect(running).toBeLessThan(4);
	expect(await admission.run(holder('address', 'other'), () => 'done')).toBe('done');
});

test('results and errors of tasks reach the caller', async () => {
	const {admission} = simulated();
	expect(await admission.run(holder('a'), async () => 1)).toBe(1);
	await expect(
		admission.run(holder('a'), () => {
			throw new Error('failed');
		}),
	).rejects.toThrow('failed');
});

test('the event loop turns between steps once their time is used', async () => {
	const {admission, work} = simulated();
	let turns = 0;
	let isOver = false;
	const count = () => {
		turns++;
		if (!isOver) {
			setImmediate(count);
		}
	};
	setImmediate(count);
	await Promise.all(Array.from({length: 100}, async () => admission.run(holder('a'), () => work(5))));
	isOver = true;
	expect(turns).toBeGreaterThanOrEqual(99);
});

test('with slots in turns, a free slot goes to the holder that waits longest, however cheap the tasks of the others are', async () => {
	const {admission} = simulated(4, true);
	const started: string[] = [];
	const ends: Array<() => void> = [];
	const start = (name: Holder) =>
		void admission.run(name, async () => {
			started.push(`${name.group} ${name.member}`);
			await new Promise<void>(resolve => ends.push(resolve));
		});
	for (let count = 0; count < 8; count++) {
		start(holder('address', 'busy'));
	}

	await nextTurn();
	expect(started).toEqual(['address busy', 'address busy']);
	start(holder('address', 'other'));
	start(holder('address', 'other'));
	ends.shift()?.();
	await nextTurn();
	ends.shift()?.();
	await nextTurn();
	expect(started.slice(2)).toEqual(['address other', 'address other']);
});
