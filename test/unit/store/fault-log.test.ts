import {readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {setImmediate as turn} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {openStore, temporaryFolder} from './json-fixture.js';
import {someFault} from './rows.js';

test('large fault counts are written with pauses that leave the disk to others', async () => {
	const dir = await temporaryFolder();
	const {faults} = await openStore(dir);
	const all = Array.from({length: 100}, () => someFault());
	for (const fault of all) {
		await faults.create(fault, all.length);
	}

	const passedAt = Array.from({length: 1000}, (_, index) => 1_790_000_000_000 + index);
	const bytesOfTime = JSON.stringify(passedAt).length / passedAt.length;
	const before = await bytesIn(path.join(dir, 'journal'));
	const since = performance.now();
	while (performance.now() - since < 600) {
		for (const {id} of all) {
			await faults.count(id, null, ({seen}) => ({count: {seen: seen + 1, acted: 0, passedAt}, result: null}));
		}

		await turn();
	}

	await faults.list(null);
	const times = ((await bytesIn(path.join(dir, 'journal'))) - before) / bytesOfTime;
	// Of the first and the last commit, too, with some room for ids and for clocks.
	expect(times).toBeLessThan((performance.now() - since) * 1000 * 1.2 + 2 * all.length * passedAt.length * 1.2);
});

async function bytesIn(dir: string): Promise<number> {
	const names = await readdir(dir);
	const sizes = await Promise.all(names.map(async name => (await stat(path.join(dir, name))).size));
	return sizes.reduce((sum, size) => sum + size, 0);
}
