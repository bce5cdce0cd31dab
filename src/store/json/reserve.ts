import {randomBytes} from 'node:crypto';
import {type Files, fileMode, removeFile, using, writeFully} from './files.js';

/** Disk space kept back, so that deletes can still be written when the disk is full. */
export class Reserve {
	readonly #files: Files;
	readonly #file: string;
	readonly #bytes: number;
	#held = false;

	constructor(files: Files, file: string, bytes: number) {
		this.#files = files;
		this.#file = file;
		this.#bytes = bytes;
	}

	/** What is to be kept back but is not at present. */
	get missingBytes(): number {
		return this.#held ? 0 : this.#bytes;
	}

	/** Makes sure that the space is kept back; rejects when there is not so much left. */
	async hold(): Promise<void> {
		if (this.#held) {
			return;
		}

		try {
			// Random, since some file systems give zeros no room.
			await using(await this.#files.open(this.#file, 'w', fileMode), async handle => {
				await writeFully(handle, randomBytes(this.#bytes), 0);
				await handle.datasync();
			});
			this.#held = true;
		} catch (error) {
			await this.release();
			throw error;
		}
	}

	/** Gives the space to whoever writes next. */
	async release(): Promise<void> {
		this.#held = false;
		await removeFile(this.#files, this.#file).catch(() => {});
	}
}
