import {Low} from 'lowdb';
import type {Files} from './files.js';
import {numbersIn} from './folder.js';
import {Layout} from './layout.js';
import {readSegment} from './segment.js';
import {SnapshotFile} from './snapshot.js';
import {State} from './state.js';

/** Makes a snapshot out of the one before it (0: there is none) and the segments from there to `next`. */
export type FoldJob = {readonly dir: string; readonly base: number; readonly next: number};

/** Bytes of the snapshot that was made. */
export type Fold = (job: FoldJob, signal: AbortSignal) => Promise<number>;

/** What is damaged was reported at start; the snapshot has what is intact. */
export async function fold(files: Files, {dir, base, next}: FoldJob): Promise<number> {
	const layout = new Layout(dir);
	const state = await readBase(files, layout, base);
	for (const number of await numbersIn(files, layout.journal)) {
		if (number >= base && number < next) {
			await readSegment(files, layout, number, (change, place) => state.apply(change, place));
		}
	}

	const snapshot = new SnapshotFile(files, layout.snapshot(next));
	await new Low(snapshot, state).write();
	return snapshot.bytes;
}

async function readBase(files: Files, layout: Layout, base: number): Promise<State> {
	if (base === 0) {
		return new State();
	}

	const db = new Low(new SnapshotFile(files, layout.snapshot(base)), new State());
	await db.read();
	return db.data;
}
