import type {FileHandle} from 'node:fs/promises';
import {createFile, syncDirectory, using, writeFully} from '../../lib/files.js';
import {type DataDir, formatVersion} from './data-dir.js';
import {decodeLine, encodeLine, type Line, scan} from './lines.js';
import type {Change, LinePlace} from './state/change.js';

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
export async function createSegment(dataDir: DataDir, number: number): Promise<{handle: FileHandle; size: number}> {
	const {files} = dataDir;
	const handle = await createFile(files, dataDir.segment(number));
	try {
		await writeFully(handle, header, 0);
		await handle.sync();
		await syncDirectory(files, dataDir.journal);
		return {handle, size: header.length};
	} catch (error) {
		await handle.close().catch(() => {});
		await files.unlink(dataDir.segment(number)).catch(() => {});
		throw error;
	}
}

/** Hands over each change of a segment, with the place of the source in it, in order. */
export async function readSegment(
	dataDir: DataDir,
	number: number,
	apply: (change: Change, place: LinePlace | null) => void,
): Promise<Segment> {
	const damages: Line[] = [];
	let end = 0;
	return using(await dataDir.files.open(dataDir.segment(number), 'r'), async handle => {
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

/** The bytes of a source that stands in the journal. Throws when the line is damaged. */
export async function readInline(dataDir: DataDir, {segment, offset, length}: LinePlace): Promise<Buffer> {
	return using(await dataDir.files.open(dataDir.segment(segment), 'r'), async handle => {
		const line = Buffer.allocUnsafe(length);
		const {bytesRead} = await handle.read(line, 0, length, offset);
		const [, base64] = decodeLine(line.subarray(0, bytesRead)) ?? [];
		if (typeof base64 !== 'string') {
			throw new Error(`Segment ${segment} of the journal is damaged at byte ${offset}.`);
		}

		return Buffer.from(base64, 'base64');
	});
}

/** Lines that passed their checksum were written by this program: a list is a change, anything else a header. */
export function isChange(item: unknown): item is Change {
	return Array.isArray(item);
}
