import type {FileHandle} from 'node:fs/promises';
import {createFile, removeFile, syncDirectory, using, writeFully} from '../../lib/io/files.js';
import {type DataDir, formatVersion} from './data-dir.js';
import {decodeLine, encodeLine, type Line, scan} from './lines.js';
import type {Change, LinePlace} from './state/change.js';

/** The segments of the journal, to the last of which changes are appended. Calls must not overlap. */
export class Journal {
	readonly #dataDir: DataDir;
	/** Bytes of each segment that count. What lies behind them in the last one was refused; it is cut before a write. */
	readonly #sizes: Map<number, number>;
	#last: number;
	#handle: FileHandle | undefined;

	/** Continues after the last of the segments. */
	constructor(dataDir: DataDir, sizes: ReadonlyMap<number, number>) {
		this.#dataDir = dataDir;
		this.#sizes = new Map(sizes);
		this.#last = Math.max(...sizes.keys());
	}

	/** The number of the last segment. */
	get last(): number {
		return this.#last;
	}

	/** Bytes of the last segment. */
	get end(): number {
		return this.#sizes.get(this.#last) ?? 0;
	}

	/** Whether there is no change in the last segment. */
	get isLastEmpty(): boolean {
		return this.end <= emptyBytes;
	}

	/** The numbers of all segments from that one on. */
	numbersFrom(first: number): number[] {
		return [...this.#sizes.keys()].filter(number => number >= first);
	}

	/** Bytes of these segments. */
	bytesIn(numbers: readonly number[]): number {
		return numbers.reduce((bytes, number) => bytes + (this.#sizes.get(number) ?? 0), 0);
	}

	/** Makes durable what was found at start, so that nothing is shown that a power cut could still take away. */
	async start(): Promise<void> {
		await this.#ready();
	}

	/**
	 * Appends durably; the offset of the first byte. When that fails, nothing of the bytes stays, and the descriptor is
	 * given up: after a failed fsync the system may have dropped what it held, and would still call the next one a success.
	 */
	async append(bytes: Buffer): Promise<number> {
		const handle = await this.#ready();
		const offset = this.end;
		try {
			await writeFully(handle, bytes, offset);
			await handle.datasync();
		} catch (error) {
			await this.#giveUp();
			// When even the cut fails now, it is made before the next write, or at the end.
			await this.#ready().catch(() => {});
			throw error;
		}

		this.#sizes.set(this.#last, offset + bytes.length);
		return offset;
	}

	/** Goes on in a new segment. When that fails, the present one stays the last. */
	async rotate(): Promise<void> {
		await this.#ready();
		const {handle, size} = await createSegment(this.#dataDir, this.#last + 1);
		await this.#giveUp();
		this.#handle = handle;
		this.#last += 1;
		this.#sizes.set(this.#last, size);
	}

	/** Removes a segment that is not the last. */
	async remove(number: number): Promise<void> {
		await removeFile(this.#dataDir.files, this.#dataDir.segment(number));
		this.#sizes.delete(number);
	}

	async close(): Promise<void> {
		await this.#ready().catch(() => {});
		await this.#giveUp();
	}

	async #giveUp(): Promise<void> {
		await this.#handle?.close().catch(() => {});
		this.#handle = undefined;
	}

	/** The descriptor to write to. Whatever was refused is cut off when it is opened. */
	async #ready(): Promise<FileHandle> {
		if (this.#handle) {
			return this.#handle;
		}

		const handle = await this.#dataDir.files.open(this.#dataDir.segment(this.#last), 'r+');
		try {
			await handle.truncate(this.end);
			await handle.sync();
		} catch (error) {
			await handle.close().catch(() => {});
			throw error;
		}

		this.#handle = handle;
		return handle;
	}
}

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
const emptyBytes = header.length;

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
