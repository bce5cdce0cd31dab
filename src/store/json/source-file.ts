import type {FileHandle} from 'node:fs/promises';
import {Writable} from 'node:stream';
import {fileMode, removeFile, syncDirectory, writeFully} from '../../lib/files.js';
import type {DataDir} from './data-dir.js';
import {storageFull} from './errors.js';

/** Bytes that may wait for the disk before the sender has to. */
const waitingBytes = 256 * 1024;

/** Writes a mail into a file of its own. Once it finished, file and name are durable; if it is destroyed, both are gone. */
export class SourceFile extends Writable {
	/** Bytes written so far. */
	size = 0;
	readonly #dataDir: DataDir;
	readonly #file: string;
	readonly #head: Buffer;
	#handle: FileHandle | undefined;
	#isDurable = false;

	constructor(dataDir: DataDir, id: string, head: Buffer) {
		super({highWaterMark: waitingBytes});
		this.#dataDir = dataDir;
		this.#file = dataDir.source(id);
		this.#head = head;
	}

	override _construct(callback: (error?: Error) => void): void {
		settle(async () => {
			this.#handle = await this.#dataDir.files.open(this.#file, 'wx', fileMode);
			await this.#append(this.#head);
		}, callback);
	}

	override _writev(chunks: {chunk: Buffer}[], callback: (error?: Error) => void): void {
		settle(async () => this.#append(Buffer.concat(chunks.map(({chunk}) => chunk))), callback);
	}

	override _final(callback: (error?: Error) => void): void {
		settle(async () => {
			await this.#handle?.datasync();
			await syncDirectory(this.#dataDir.files, this.#dataDir.sources);
			this.#isDurable = true;
		}, callback);
	}

	override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
		const cleanUp = async () => {
			await this.#handle?.close().catch(() => {});
			if (!this.#isDurable) {
				await removeFile(this.#dataDir.files, this.#file).catch(() => {});
			}
		};
		void cleanUp().then(() => callback(error));
	}

	async #append(bytes: Buffer): Promise<void> {
		if (this.#handle) {
			await writeFully(this.#handle, bytes, this.size);
			this.size += bytes.length;
		}
	}
}

function settle(work: () => Promise<void>, callback: (error?: Error) => void): void {
	work().then(
		() => callback(),
		error => callback(storageFull(error)),
	);
}
