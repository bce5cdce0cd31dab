import {randomBytes} from 'node:crypto';
import {AppError} from '../../domain/errors.js';
import {errorCode} from '../../lib/errors.js';
import {createFile, removeFile, using, writeFully} from '../../lib/io/files.js';
import type {DataDir} from './data-dir.js';

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;

/** Time for which a statfs result is used. Other programs write to the disk, too. */
const trustedMs = 1000;

/** Sizes that depend on the disk. */
export type Limits = {
	/** Size at which the journal starts a new segment. */
	readonly segmentBytes: number;
	/** Size of the reserve, which lets deletes succeed on a full disk. */
	readonly reserveBytes: number;
};

/** Computes limits in proportion to the disk: to empty a segment, its live sources have to fit on the disk once more. */
export async function limitsFor({files, path}: DataDir): Promise<Limits> {
	const {blocks, bsize} = await files.statfs(path);
	const bytes = blocks === 0 ? Number.POSITIVE_INFINITY : blocks * bsize;
	return {
		segmentBytes: Math.min(16 * mebibyte, Math.max(64 * kibibyte, bytes / 64)),
		reserveBytes: Math.min(256 * kibibyte, bytes / 16),
	};
}

/**
 * Accounting of free disk space. A reserve file keeps space for deletes. Mail is rejected before the disk is full, so that there
 * is space for the operations that free some: the next snapshot, and emptying a segment.
 */
export class DiskSpace {
	readonly #dataDir: DataDir;
	readonly #reserveBytes: number;
	readonly #neededBytes: () => number;
	#isReserved = false;
	/** Bytes that can be taken without another statfs. */
	#spare = 0;
	#trustedUntil = 0;

	/** `neededBytes`: space that must stay free in addition to the reserve. */
	constructor(dataDir: DataDir, reserveBytes: number, neededBytes: () => number) {
		this.#dataDir = dataDir;
		this.#reserveBytes = reserveBytes;
		this.#neededBytes = neededBytes;
	}

	/** Takes space for a write; rejects with `ENOSPC` if there is not enough. Calls statfs only now and then. */
	async take(bytes: number): Promise<void> {
		if (bytes > this.#spare || performance.now() > this.#trustedUntil) {
			const spare = (await this.free()) - this.#neededBytes();
			if (spare < bytes) {
				throw Object.assign(new Error('The remaining disk space is reserved for deletes.'), {code: 'ENOSPC'});
			}

			// Half of it, since written rows make the next snapshot longer.
			this.#spare = spare / 2;
			this.#trustedUntil = performance.now() + trustedMs;
		}

		this.#spare -= bytes;
		await this.reserve();
	}

	/** Free bytes without the reserve. Infinite if the file system does not report them; then only a failed write shows a full disk. */
	async free(): Promise<number> {
		const {bavail, blocks, bsize} = await this.#dataDir.files.statfs(this.#dataDir.path);
		return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize - (this.#isReserved ? 0 : this.#reserveBytes);
	}

	/** Creates the reserve unless it exists; rejects if there is not enough space. */
	async reserve(): Promise<void> {
		if (this.#isReserved) {
			return;
		}

		const {files, reserve} = this.#dataDir;
		try {
			// Random bytes, since some file systems do not allocate space for zeros.
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

	/** Removes the reserve, for the next write. */
	async release(): Promise<void> {
		this.#isReserved = false;
		await removeFile(this.#dataDir.files, this.#dataDir.reserve).catch(() => {});
	}
}

/** The error for a change that the disk rejected. */
export function storageFull(reason: unknown): AppError {
	const code = errorCode(reason) ?? 'unknown error';
	return new AppError(
		'storage_full',
		`Writing to the disk failed (${code}). Delete mail or free disk space, then try again.`,
	);
}
