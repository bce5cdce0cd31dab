import {expect, test, vi} from 'vitest';
import {Delays} from '../../../src/smtp/pacing.js';

test('many delays that end at the same moment do not block the event loop', async () => {
	const delays = new Delays();
	let ended = 0;
	for (let index = 0; index < 500; index++) {
		delays.add({}, 20, () => ended++);
	}

	const steps: number[] = [];
	while (ended < 500) {
		const before = ended;
		await new Promise(setImmediate);
		steps.push(ended - before);
	}

	expect(Math.max(...steps)).toBeLessThanOrEqual(20);
});

test('a canceled delay does not call its callback, and the others do', async () => {
	const delays = new Delays();
	const ended: string[] = [];
	const [canceled, active] = [{}, {}];
	delays.add(canceled, 10, () => ended.push('canceled'));
	delays.add(active, 20, () => ended.push('active'));
	delays.delete(canceled);
	await vi.waitFor(() => expect(ended).toEqual(['active']));
});

test('endAll ends all delays and the delays added later', async () => {
	const delays = new Delays();
	const ended: string[] = [];
	delays.add({}, 300_000, () => ended.push('under way'));
	delays.endAll();
	delays.add({}, 300_000, () => ended.push('new'));
	await vi.waitFor(() => expect(ended).toHaveLength(2));
});
