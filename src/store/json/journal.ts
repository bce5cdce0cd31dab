import type {FileHandle} from 'node:fs/promises';
import {createFile, removeFile, syncDirectory, using, writeFully} from '../../lib/io/files.js';
import {type DataDir, formatVersion} from './data-dir.js';
import {decodeLine, encodeLine, type Line, readLines} from './lines.js';
import type {Change, LinePosition} from './state/change.js';

/** The append-only journal, in numbered segments. Calls must not overlap. */
export class Journal {
	readonly #dataDir: DataDir;
	/** Valid bytes of each segment. Bytes of a failed write may follow in the last one; they are cut before the next write. */
	readonly #sizes: Map<number, number>;
	#last: number;
	#handle: FileHandle | undefined;

	/** `sizes`: valid bytes of the existing segments by number. */
	constructor(dataDir: DataDir, sizes: ReadonlyMap<number, number>) {
		this.#dataDir = dataDir;
		this.#sizes = new Map(sizes);
		this.#last = Math.max(...sizes.keys());
	}

	/** Number of the last segment. */
	get last(): number {
		return this.#last;
	}

	/** Valid bytes of the last segment. */
	get end(): number {
		return this.#sizes.get(this.#last) ?? 0;
	}

	/** True if the last segment has no changes. */
	get isLastEmpty(): boolean {
		return this.end <= emptyBytes;
	}

	/** Numbers of all segments from `first` on. */
	numbersFrom(first: number): number[] {
		return [...this.#sizes.keys()].filter(number => number >= first);
	}

	/** Total size of segments. */
	bytesIn(numbers: readonly number[]): number {
		return numbers.reduce((bytes, number) => bytes + (this.#sizes.get(number) ?? 0), 0);
	}

	/** Makes the recovered content durable, so that a power cut cannot remove changes that readers have seen. */
	async start(): Promise<void> {
		await this.#openHandle();
	}

	/**
	 * Appends bytes durably and resolves to the offset of the first one. After a failure, the bytes are cut off, and the
	 * descriptor is replaced: the system may have dropped the data, and would still report success for the next fsync.
	 */
	async append(bytes: Buffer): Promise<number> {
		const handle = await this.#openHandle();
		const offset = this.end;
		try {
			await writeFully(handle, bytes, offset);
			await handle.datasync();
		} catch (error) {
			await this.#closeHandle();
			// If the cut fails, it is repeated before the next write, or when the journal closes.
			await this.#openHandle().catch(() => {});
			throw error;
		}

		this.#sizes.set(this.#last, offset + bytes.length);
		return offset;
	}

	/** Starts a new segment. After a failure, the current one remains the last. */
	async rotate(): Promise<void> {
		await this.#openHandle();
		const {handle, size} = await createSegment(this.#dataDir, this.#last + 1);
		await this.#closeHandle();
		this.#handle = handle;
		this.#last += 1;
		this.#sizes.set(this.#last, size);
	}

	/** Removes a segment other than the last. */
	async remove(number: number): Promise<void> {
		await removeFile(this.#dataDir.files, this.#dataDir.segment(number));
		this.#sizes.delete(number);
	}

	async close(): Promise<void> {
		await this.#openHandle().catch(() => {});
		await this.#closeHandle();
	}

	async #closeHandle(): Promise<void> {
		await this.#handle?.close().catch(() => {});
		this.#handle = undefined;
	}

	/** Returns the descriptor of the last segment. Opening it cuts off the bytes of failed writes. */
	async #openHandle(): Promise<FileHandle> {
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

/** The result of reading a segment. */
export type Segment = {
	/** Position after the last intact line and its line feed. */
	readonly end: number;
	/** True if the last intact line is followed by a line feed. */
	readonly isTerminated: boolean;
	/** Size of the file. */
	readonly size: number;
	/** Damaged lines. */
	readonly damages: readonly Line[];
};

const header = encodeLine(JSON.stringify({version: formatVersion}));

/** Size of a segment without changes. */
const emptyBytes = header.length;

/** Creates an empty segment durably. */
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

/** Applies each change of a segment in order, with the position of the source in its line. */
export async function readSegment(
	dataDir: DataDir,
	number: number,
	apply: (change: Change, position: LinePosition | null) => void,
): Promise<Segment> {
	const damages: Line[] = [];
	let end = 0;
	return using(await dataDir.files.open(dataDir.segment(number), 'r'), async handle => {
		for await (const lines of readLines(handle)) {
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

/** Reads a source that is stored in the journal. Throws if the line is damaged. */
export async function readInlineSource(dataDir: DataDir, {segment, offset, length}: LinePosition): Promise<Buffer> {
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

/** True for a change. The items of an intact line need no validation: an array is a change, anything else a header or trailer. */
export function isChange(item: unknown): item is Change {
	return Array.isArray(item);
}
