import type {Log} from '../../lib/log.js';
import type {DataDir} from './data-dir.js';
import {readSnapshot, SnapshotFile} from './snapshot.js';
import {State} from './state/state.js';

/** What a snapshot says. */
export type Base = {
	/** Of the first segment that is not in it; 0 when there is no snapshot. */
	readonly number: number;
	/** Of the file. */
	readonly bytes: number;
	readonly state: State;
	readonly isIntact: boolean;
};

/**
 * Reads the last snapshot. When that one is damaged, the one before it serves if all segments since then are there;
 * else the intact part of the last one.
 */
export async function loadBase(dataDir: DataDir, log: Log): Promise<Base> {
	const numbers = await dataDir.snapshotNumbers();
	const last = await readBase(dataDir, numbers.pop());
	if (last.isIntact) {
		return last;
	}

	const file = dataDir.snapshot(last.number);
	// Without a snapshot before it, the journal leads from its very first segment.
	const missing = await dataDir.missingSegments(numbers.at(-1) ?? 1, last.number);
	if (missing.length === 0) {
		const previous = await readBase(dataDir, numbers.pop());
		if (previous.isIntact) {
			await dataDir.files.rename(file, `${file}.broken`);
			log.warn({file}, 'The last snapshot is damaged and was set aside; using the previous one without data loss');
			return previous;
		}
	}

	log.error(
		{file},
		'The last snapshot is damaged and has no replacement; its intact rows were loaded, the others are lost',
	);
	return last;
}

async function readBase(dataDir: DataDir, number = 0): Promise<Base> {
	const state = new State();
	if (number === 0) {
		return {number, bytes: 0, state, isIntact: true};
	}

	const snapshot = new SnapshotFile(dataDir, number);
	for await (const rows of await readSnapshot(snapshot)) {
		state.restore(rows);
	}

	return {number, bytes: snapshot.bytes, state, isIntact: snapshot.isIntact};
}
