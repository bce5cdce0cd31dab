import {errorCode} from '../../lib/error-code.js';
import type {Disk} from './disk.js';
import {fileMode, using, writeFully} from './files.js';
import {numbersIn} from './folder.js';
import {type Base, loadBase} from './load-base.js';
import type {Line} from './scan.js';
import {createSegment, readSegment, type Segment} from './segment.js';

export type Loaded = {
	readonly base: Base;
	/** Bytes of each segment of the journal, by its number. */
	readonly sizes: ReadonlyMap<number, number>;
};

/** Builds the state from the last snapshot and the journal since then, and repairs what a crash left. */
export async function load(disk: Disk): Promise<Loaded> {
	const {files, layout} = disk;
	const base = await loadBase(disk);
	const numbers = await numbersIn(files, layout.journal);
	const last = Math.max(base.number, 1, ...numbers);
	const sizes = new Map<number, number>();
	for (const number of numbers) {
		const size =
			number < base.number
				? (await files.stat(layout.segment(number))).size
				: await replay(disk, base, number, number === last);
		sizes.set(number, size);
	}

	reportGap(disk, base, last, sizes);
	if (!sizes.has(last)) {
		sizes.set(last, await emptySegment(disk, last));
	}

	return {base, sizes};
}

/** Applies a segment; how many bytes of it count. */
async function replay(disk: Disk, {state}: Base, number: number, isLast: boolean): Promise<number> {
	const {files, layout} = disk;
	const segment = await readSegment(files, layout, number, (change, place) => state.apply(change, place));
	const lines = segment.damages.filter(({offset}) => !isLast || offset < segment.end);
	const tail = segment.damages.filter(damage => !lines.includes(damage));
	const file = layout.segment(number);
	if (lines.length > 0) {
		await setAside(disk, file, lines);
		disk.log.warn({file, lines: lines.length}, 'Damaged lines of the journal were set aside. All others were read.');
	}

	if (tail.length > 0) {
		await setAside(disk, file, tail);
		disk.log.warn({file, offset: segment.end}, 'The last line of the journal was incomplete and was cut off.');
	}

	return isLast ? repairEnd(disk, number, segment) : segment.size;
}

/** Keeps damaged bytes beside the file, for whoever wants to look at them. */
async function setAside({files, log}: Disk, file: string, damages: readonly Line[]): Promise<void> {
	for (const {bytes, offset} of damages) {
		try {
			const handle = await files.open(`${file}.${offset}.broken`, 'wx', fileMode);
			await using(handle, async () => writeFully(handle, bytes, 0));
		} catch (error) {
			if (errorCode(error) !== 'EEXIST') {
				log.warn({err: error, file, offset}, 'Damaged bytes of the journal could not be copied.');
			}
		}
	}
}

/** Makes the last segment end with an intact line and its line feed, so that it can be continued; how long it is then. */
async function repairEnd(disk: Disk, number: number, {end, size, isTerminated}: Segment): Promise<number> {
	if (end === 0) {
		return emptySegment(disk, number);
	}

	if (size !== end || !isTerminated) {
		await using(await disk.files.open(disk.layout.segment(number), 'r+'), async handle => {
			await handle.truncate(end - 1);
			await writeFully(handle, Buffer.from('\n'), end - 1);
			await handle.sync();
		});
	}

	return end;
}

async function emptySegment({files, layout}: Disk, number: number): Promise<number> {
	const {handle, size} = await createSegment(files, layout, number);
	await handle.close();
	return size;
}

function reportGap({layout, log}: Disk, base: Base, last: number, sizes: ReadonlyMap<number, number>): void {
	const first = Math.max(base.number, 1);
	const missing = Array.from({length: last - first}, (_, index) => first + index).filter(number => !sizes.has(number));
	if (missing.length > 0) {
		log.error({folder: layout.journal, missing}, 'Segments of the journal are missing. What they held is lost.');
	}
}
