import type {FileHandle} from 'node:fs/promises';
import {type Files, fileMode, syncDirectory, using, writeFully} from './files.js';
import {formatVersion, type Layout} from './layout.js';
import {encodeLine} from './line.js';
import {type Line, scan} from './scan.js';
import type {Change, Place} from './state/change.js';

export type Segment = {
	/** The byte behind the last intact line, its line feed counted. */
	readonly end: number;
	/** Whether that line feed is there. */
	readonly isTerminated: boolean;
	/** Bytes of the file. */
	readonly size: number;
	/** What is no intact line. */
	readonly damages: readonly Line[];
};

const header = encodeLine(JSON.stringify({version: formatVersion}));

/** Bytes of a segment without changes. */
export const emptyBytes = header.length;

/** Makes an empty segment, durably. */
export async function createSegment(
	files: Files,
	layout: Layout,
	number: number,
): Promise<{handle: FileHandle; size: number}> {
	const handle = await files.open(layout.segment(number), 'w', fileMode);
	try {
		await writeFully(handle, header, 0);
		await handle.sync();
		await syncDirectory(files, layout.journal);
		return {handle, size: header.length};
	} catch (error) {
		await handle.close().catch(() => {});
		await files.unlink(layout.segment(number)).catch(() => {});
		throw error;
	}
}

/** Hands over each change of a segment, with the place of the source in it, in order. */
export async function readSegment(
	files: Files,
	layout: Layout,
	number: number,
	apply: (change: Change, place: Place | null) => void,
): Promise<Segment> {
	const damages: Line[] = [];
	let end = 0;
	return using(await files.open(layout.segment(number), 'r'), async handle => {
		for await (const lines of scan(handle)) {
			for (const line of lines) {
				const [change, source] = line.items ?? [];
				if (!line.items) {
					damages.push({...line, bytes: Buffer.from(line.bytes)});
				} else if (isChange(change)) {
					apply(
						change,
						source === undefined ? null : {segment: number, offset: line.offset, length: line.bytes.length},
					);
				}

				end = line.items ? line.offset + line.bytes.length + 1 : end;
			}
		}

		const {size} = await handle.stat();
		return {end, damages, size, isTerminated: await isLineFeed(handle, end - 1)};
	});
}

async function isLineFeed(handle: FileHandle, offset: number): Promise<boolean> {
	const {bytesRead, buffer} = await handle.read(Buffer.alloc(1), 0, 1, Math.max(offset, 0));
	return bytesRead === 1 && buffer[0] === 10;
}

/** Lines that passed their checksum were written by this program: a list is a change, anything else a header. */
export function isChange(item: unknown): item is Change {
	return Array.isArray(item);
}
