import {randomUUID} from 'node:crypto';
import type {Readable} from 'node:stream';
import {pipeline} from 'node:stream/promises';

import {removeFile} from '../../lib/files.js';
import type {Log} from '../../lib/log.js';
import {bytesOfSmall, takeIn} from '../intake.js';
import type {StagedSource} from '../store.js';
import type {DataDir} from './data-dir.js';
import {stopping} from './errors.js';
import {SourceFile} from './source-file.js';
import {Turns} from './turns.js';

/** Takes in the bytes of mail before it is known what becomes of them. */
export class Spool {
	readonly #dataDir: DataDir;
	readonly #log: Log;
	readonly #removals = new Turns();
	#isClosed = false;

	constructor(dataDir: DataDir, log: Log) {
		this.#dataDir = dataDir;
		this.#log = log;
	}

	/** Rejects when the stream fails or ends early; then nothing is left of it. `id` is that of no other source. */
	async stage(bytes: Readable, id: string = randomUUID()): Promise<StagedSource> {
		if (this.#isClosed) {
			throw stopping();
		}

		return takeIn(bytes, id, async (head, rest) => this.#stageFile(id, head, rest));
	}

	async discard(source: StagedSource): Promise<void> {
		if (bytesOfSmall(source) === undefined) {
			this.remove([source.id]);
			await this.#removals.idle();
		}
	}

	/** Removes the files of sources that nothing needs any more, in the background. */
	remove(ids: readonly string[]): void {
		if (ids.length > 0) {
			void this.#removals.take(async () => {
				for (const id of ids) {
					await this.#removeFile(this.#dataDir.source(id));
				}
			});
		}
	}

	/** Takes in nothing more, and finishes the removals. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await this.#removals.idle();
	}

	async #removeFile(file: string): Promise<void> {
		await removeFile(this.#dataDir.files, file).catch(error => {
			this.#log.warn({err: error, file}, 'Could not remove the file of a deleted mail; retrying at the next start');
		});
	}

	async #stageFile(id: string, head: Buffer, rest: Readable): Promise<StagedSource> {
		const file = new SourceFile(this.#dataDir, id, head);
		await pipeline(rest, file);
		return {id, size: file.size, head};
	}
}
