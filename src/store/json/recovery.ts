import path from 'node:path';
import {DataDirError, errorCode} from '../../lib/errors.js';
import {fileMode, removeFile, using, writeFully} from '../../lib/io/files.js';
import type {Log} from '../../lib/log.js';
import {type DataDir, formatVersion} from './data-dir.js';
import {createSegment, readSegment, type Segment} from './journal.js';
import {decodeLine, type Line} from './lines.js';
import {readSnapshot, SnapshotFile} from './snapshot.js';
import {State} from './state/state.js';

/** Number of bytes read to find the header of a file. */
const headerBytes = 256;

/** A snapshot in memory. */
export type LoadedSnapshot = {
	/** Number of the first segment that is not in the snapshot; 0 without a snapshot. */
	readonly number: number;
	/** Size of the file. */
	readonly bytes: number;
	readonly state: State;
	readonly isIntact: boolean;
};

/** The content of a data directory. */
export type RecoveredStore = {
	/** The last snapshot. Its state includes the journal. */
	readonly base: LoadedSnapshot;
	/** Bytes of each journal segment by number. */
	readonly sizes: ReadonlyMap<number, number>;
};

/**
 * Builds the state from the last snapshot and the journal, and repairs what a crash left. Throws `DataDirError`, without
 * changing anything, if a newer version of tinbox wrote one of the files.
 */
export async function recover(dataDir: DataDir, log: Log): Promise<RecoveredStore> {
	await checkFormat(dataDir);
	const base = await loadSnapshot(dataDir, log);
	const numbers = await dataDir.segmentNumbers();
	const last = Math.max(base.number, 1, ...numbers);
	const sizes = new Map<number, number>();
	for (const number of numbers) {
		const size =
			number < base.number
				? (await dataDir.files.stat(dataDir.segment(number))).size
				: await replay(dataDir, log, base, number, number === last);
		sizes.set(number, size);
	}

	const missing = await dataDir.missingSegments(Math.max(base.number, 1), last);
	if (missing.length > 0) {
		log.error({folder: dataDir.journal, missing}, 'Journal segments are missing; their data is lost');
	}

	if (!sizes.has(last)) {
		sizes.set(last, await createEmptySegment(dataDir, last));
	}

	await removeLeftovers(dataDir, log, base);
	return {base, sizes};
}

async function checkFormat(dataDir: DataDir): Promise<void> {
	const snapshots = (await dataDir.snapshotNumbers()).map(number => dataDir.snapshot(number));
	const segments = (await dataDir.segmentNumbers()).map(number => dataDir.segment(number));
	for (const file of [...snapshots, ...segments]) {
		const version = await readVersion(dataDir, file);
		if (version > formatVersion) {
			throw new DataDirError(
				`${file} has format ${version}, but this tinbox supports formats up to ${formatVersion}. Install a newer tinbox, or choose another data folder. Nothing was changed.`,
			);
		}
	}
}

/** Reads the version in the header; 0 if the header is damaged or incomplete. */
async function readVersion({files}: DataDir, file: string): Promise<number> {
	const {buffer, bytesRead} = await using(await files.open(file, 'r'), async handle =>
		handle.read(Buffer.alloc(headerBytes), 0, headerBytes, 0),
	);
	const [line = ''] = buffer.toString('latin1', 0, bytesRead).split('\n');
	const [header] = decodeLine(Buffer.from(line, 'latin1')) ?? [];
	const hasVersion = typeof header === 'object' && header !== null && 'version' in header;
	return hasVersion && typeof header.version === 'number' ? header.version : 0;
}

/**
 * Loads the last snapshot. If it is damaged, loads the previous one, provided that all segments since then exist; otherwise
 * the intact rows of the last one.
 */
async function loadSnapshot(dataDir: DataDir, log: Log): Promise<LoadedSnapshot> {
	const numbers = await dataDir.snapshotNumbers();
	const last = await loadSnapshotFile(dataDir, numbers.pop());
	if (last.isIntact) {
		return last;
	}

	const file = dataDir.snapshot(last.number);
	// Without a previous snapshot, the journal has to be complete from its first segment.
	const missing = await dataDir.missingSegments(numbers.at(-1) ?? 1, last.number);
	if (missing.length === 0) {
		const previous = await loadSnapshotFile(dataDir, numbers.pop());
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

async function loadSnapshotFile(dataDir: DataDir, number = 0): Promise<LoadedSnapshot> {
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

/** Applies a segment to the state. Resolves to the number of its valid bytes. */
async function replay(
	dataDir: DataDir,
	log: Log,
	{state}: LoadedSnapshot,
	number: number,
	isLast: boolean,
): Promise<number> {
	const segment = await readSegment(dataDir, number, (change, position) => state.apply(change, position));
	const lines = segment.damages.filter(({offset}) => !isLast || offset < segment.end);
	const tail = segment.damages.filter(damage => !lines.includes(damage));
	const file = dataDir.segment(number);
	await copyDamages(dataDir, log, file, segment.damages);
	if (lines.length > 0) {
		log.warn({file, lines: lines.length}, 'Damaged journal lines were set aside; all other lines were loaded');
	}

	if (tail.length > 0) {
		log.warn({file, offset: segment.end}, 'The last journal line was incomplete and was truncated');
	}

	return isLast ? repairEnd(dataDir, number, segment) : segment.size;
}

/** Copies damaged bytes to `.broken` files beside the segment, for inspection. */
async function copyDamages({files}: DataDir, log: Log, file: string, damages: readonly Line[]): Promise<void> {
	for (const {bytes, offset} of damages) {
		try {
			const handle = await files.open(`${file}.${offset}.broken`, 'wx', fileMode);
			await using(handle, async () => writeFully(handle, bytes, 0));
		} catch (error) {
			if (errorCode(error) !== 'EEXIST') {
				log.warn({err: error, file, offset}, 'Could not copy damaged journal bytes');
			}
		}
	}
}

/** Makes the last segment end with an intact line and its line feed, so that it can be appended to. Resolves to its size. */
async function repairEnd(dataDir: DataDir, number: number, {end, size, isTerminated}: Segment): Promise<number> {
	if (end === 0) {
		return createEmptySegment(dataDir, number);
	}

	if (size !== end || !isTerminated) {
		await using(await dataDir.files.open(dataDir.segment(number), 'r+'), async handle => {
			await handle.truncate(end - 1);
			await writeFully(handle, Buffer.from('\n'), end - 1);
			await handle.sync();
		});
	}

	return end;
}

async function createEmptySegment(dataDir: DataDir, number: number): Promise<number> {
	const {handle, size} = await createSegment(dataDir, number);
	await handle.close();
	return size;
}

/** Removes the files that a crash left: sources without a message, and unfinished snapshots. */
async function removeLeftovers({files, sources, snapshots}: DataDir, log: Log, {state}: LoadedSnapshot): Promise<void> {
	const orphans = (await files.readdir(sources))
		.filter(name => !state.tables.sources.has(path.basename(name, '.eml')))
		.map(name => path.join(sources, name));
	const drafts = (await files.readdir(snapshots))
		.filter(name => name.endsWith('.tmp'))
		.map(name => path.join(snapshots, name));
	for (const file of [...orphans, ...drafts]) {
		await removeFile(files, file).catch(error => log.warn({err: error, file}, 'Could not remove a leftover file'));
	}
}
