import {randomBytes} from 'node:crypto';
import {AppError} from '../../domain/errors.js';
import {errorCode} from '../../lib/errors.js';
import {createFile, removeFile, using, writeFully} from '../../lib/io/files.js';
import type {DataDir} from './data-dir.js';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** How long a statfs result is trusted: other programs write to the disk as well. */
const trustedMs = 1000;

export type Limits = {
	/** Bytes after which the journal goes on in a new segment. */
	readonly segmentBytes: number;
	/** Bytes kept back, so that deletes can be written on a full disk. */
	readonly reserveBytes: number;
};

/** Limits in proportion to the disk: a segment can only be emptied where there is room to write what lives in it. */
export async function limitsFor({files, path}: DataDir): Promise<Limits> {
	const {blocks, bsize} = await files.statfs(path);
	const bytes = blocks === 0 ? Number.POSITIVE_INFINITY : blocks * bsize;
	return {
		segmentBytes: Math.min(16 * mebibyte, Math.max(64 * kibibyte, bytes / 64)),
		reserveBytes: Math.min(256 * kibibyte, bytes / 16),
	};
}

/**
 * The space on the disk. A file keeps some of it back for deletes, and mail is refused while there still is room for
 * what gives space back: the next snapshot, and the emptying of a segment.
 */
export class Space {
	readonly #dataDir: DataDir;
	readonly #reserveBytes: number;
	readonly #neededBytes: () => number;
	#isReserved = false;
	#spare = 0;
	#trustedUntil = 0;

	/** `neededBytes`: what is to stay free beside the reserve. */
	constructor(dataDir: DataDir, reserveBytes: number, neededBytes: () => number) {
		this.#dataDir = dataDir;
		this.#reserveBytes = reserveBytes;
		this.#neededBytes = neededBytes;
	}

	/** Takes so many bytes for mail; rejects when they are not to spare. Asks the system only now and then. */
	async take(bytes: number): Promise<void> {
		if (bytes > this.#spare || performance.now() > this.#trustedUntil) {
			const spare = (await this.free()) - this.#neededBytes();
			if (spare < bytes) {
				throw Object.assign(new Error('The remaining disk space is reserved for deletes.'), {code: 'ENOSPC'});
			}

			// Half of it: what is written makes the next snapshot longer.
			this.#spare = spare / 2;
			this.#trustedUntil = performance.now() + trustedMs;
		}

		this.#spare -= bytes;
		await this.reserve();
	}

	/** Free bytes but for the reserve. Some file systems do not tell: they are found full when they refuse a write. */
	async free(): Promise<number> {
		const {bavail, blocks, bsize} = await this.#dataDir.files.statfs(this.#dataDir.path);
		return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize - (this.#isReserved ? 0 : this.#reserveBytes);
	}

	/** Makes sure that space for deletes is kept back; rejects when there is not so much left. */
	async reserve(): Promise<void> {
		if (this.#isReserved) {
			return;
		}

		const {files, reserve} = this.#dataDir;
		try {
			// Random, since some file systems give zeros no room.
			await using(await createFile(files, reserve), async handle => {
				await writeFully(handle, randomBytes(this.#reserveBytes), 0);
				await handle.datasync();
			});
			this.#isReserved = true;
		} catch (error) {
			await this.release();
			throw error;
		}
	}

	/** Gives the reserve to whoever writes next. */
	async release(): Promise<void> {
		this.#isReserved = false;
		await removeFile(this.#dataDir.files, this.#dataDir.reserve).catch(() => {});
	}
}

/** The error for a change that the disk refused. */
export function storageFull(reason: unknown): AppError {
	const code = errorCode(reason) ?? 'unknown error';
	return new AppError(
		'storage_full',
		`Writing to the disk failed (${code}). Delete mail or free disk space, then try again.`,
	);
}

/** The error for a change that comes after `close`. */
export function stopping(): AppError {
	return new AppError('stopping', 'The daemon is stopping and does not store data. Try again when it is running.');
}
