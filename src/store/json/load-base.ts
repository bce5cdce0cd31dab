import {Low} from 'lowdb';
import type {Disk} from './disk.js';
import type {Files} from './files.js';
import {numbersIn} from './folder.js';
import type {Layout} from './layout.js';
import {type RowStream, SnapshotFile} from './snapshot.js';
import {State} from './state/state.js';

/** A snapshot: the number of the first segment that is not in it (0: there is none), its bytes, and what it says. */
export type Base = {readonly number: number; readonly bytes: number; readonly state: State};

type Found = Base & {readonly isIntact: boolean};

/**
 * Reads the last snapshot. When that one is damaged, the one before it serves if all segments since then are there;
 * else the intact part of the last one.
 */
export async function loadBase({files, layout, log}: Disk): Promise<Base> {
	const numbers = await numbersIn(files, layout.snapshots);
	const last = await readSnapshot(files, layout, numbers.pop());
	if (last.isIntact) {
		return last;
	}

	const file = layout.snapshot(last.number);
	if (await hasSegments(files, layout, numbers.at(-1), last.number)) {
		const previous = await readSnapshot(files, layout, numbers.pop());
		if (previous.isIntact) {
			await files.rename(file, `${file}.broken`);
			log.warn({file}, 'The last snapshot is damaged and was set aside. Nothing is lost: the one before it serves.');
			return previous;
		}
	}

	log.error(
		{file},
		'The last snapshot is damaged, and nothing replaces it. What is intact of it was read; the rest is lost.',
	);
	return last;
}

async function readSnapshot(files: Files, layout: Layout, number = 0): Promise<Found> {
	if (number === 0) {
		return {number, bytes: 0, state: new State(), isIntact: true};
	}

	const snapshot = new SnapshotFile(files, layout.snapshot(number));
	const db = new Low<RowStream>(snapshot, []);
	const state = new State();
	await db.read();
	for await (const rows of db.data) {
		state.restore(rows);
	}

	return {number, bytes: snapshot.bytes, state, isIntact: snapshot.isIntact};
}

/** Whether the journal has each segment between the two snapshots; without a first one, from the very first segment. */
async function hasSegments(files: Files, layout: Layout, first = 1, next: number): Promise<boolean> {
	const present = new Set(await numbersIn(files, layout.journal));
	return Array.from({length: next - first}, (_, index) => first + index).every(number => present.has(number));
}
