import type {FileHandle} from 'node:fs/promises';
import {Writable} from 'node:stream';
import {type Files, fileMode, removeFile, syncDirectory, writeFully} from './files.js';
import type {Layout} from './layout.js';
import {storageFull} from './refusals.js';

/** Bytes that may wait for the disk before the sender has to. */
const waitingBytes = 256 * 1024;

/** Writes a mail into a file of its own. Once it finished, file and name are durable; if it is destroyed, both are gone. */
export class SourceFile extends Writable {
	/** Bytes written so far. */
	size = 0;
	readonly #files: Files;
	readonly #layout: Layout;
	readonly #file: string;
	readonly #head: Buffer;
	#handle: FileHandle | undefined;
	#isDurable = false;

	constructor(files: Files, layout: Layout, id: string, head: Buffer) {
		super({highWaterMark: waitingBytes});
		this.#files = files;
		this.#layout = layout;
		this.#file = layout.source(id);
		this.#head = head;
	}

	override _construct(callback: (error?: Error) => void): void {
		settle(async () => {
			this.#handle = await this.#files.open(this.#file, 'wx', fileMode);
			await this.#append(this.#head);
		}, callback);
	}

	override _write(chunk: Buffer, _encoding: string, callback: (error?: Error) => void): void {
		settle(async () => this.#append(chunk), callback);
	}

	override _writev(chunks: {chunk: Buffer}[], callback: (error?: Error) => void): void {
		settle(async () => this.#append(Buffer.concat(chunks.map(({chunk}) => chunk))), callback);
	}

	override _final(callback: (error?: Error) => void): void {
		settle(async () => {
			await this.#handle?.datasync();
			await syncDirectory(this.#files, this.#layout.sources);
			this.#isDurable = true;
		}, callback);
	}

	override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
		const cleanUp = async () => {
			await this.#handle?.close().catch(() => {});
			if (!this.#isDurable) {
				await removeFile(this.#files, this.#file).catch(() => {});
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
