import type {Files} from './files.js';
import type {Reserve} from './reserve.js';

/** For so long what was found counts: other programs write to the disk as well. */
const validMs = 1000;

/** Refuses what would fill the disk so far that what makes room again could not be written. */
export class Room {
	readonly #files: Files;
	readonly #dir: string;
	readonly #reserve: Reserve;
	readonly #keptFree: () => number;
	#spare = 0;
	#validUntil = 0;

	/** `keptFree`: bytes that are to stay free, beside the reserve. */
	constructor(files: Files, dir: string, reserve: Reserve, keptFree: () => number) {
		this.#files = files;
		this.#dir = dir;
		this.#reserve = reserve;
		this.#keptFree = keptFree;
	}

	/** Takes so many bytes; rejects when they are not to spare. Asks the system only now and then. */
	async take(bytes: number): Promise<void> {
		if (bytes > this.#spare || performance.now() > this.#validUntil) {
			const spare = (await this.free()) - this.#keptFree();
			if (spare < bytes) {
				throw Object.assign(new Error('What is left of the disk is kept free for deletes.'), {code: 'ENOSPC'});
			}

			// Half of it: what is written makes the next snapshot longer.
			this.#spare = spare / 2;
			this.#validUntil = performance.now() + validMs;
		}

		this.#spare -= bytes;
	}

	/** Free bytes without those that the reserve still wants. Some file systems do not tell: these are found full when they refuse a write. */
	async free(): Promise<number> {
		const {bavail, blocks, bsize} = await this.#files.statfs(this.#dir);
		return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize - this.#reserve.missingBytes;
	}
}
