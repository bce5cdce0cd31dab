import {Readable} from 'node:stream';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import type {SourceStore, StagedSource} from '../../store/port.js';
import {chunksOf, type HeldSource, smallBytes} from './source.js';

/** Bytes that a request keeps in memory, apart from its last mail. */
const memoryBytes = 4 * 1024 * 1024;

/** Bytes that stay in memory of a source on disk: enough for most header sections. */
const headBytes = 8 * 1024;

/** Requests that keep sources on disk at the same time. */
const maxRequestsOnDisk = 4;

/** Sources that were staged together. */
type Group = {readonly staged: StagedSource};

type SourceFiles = Pick<SourceStore, 'stage' | 'readStaged' | 'discard'>;

/** Keeps the composed mails of requests until they are stored: on disk if a request has many. */
export class SourceKeeper {
	readonly #files: SourceFiles;
	readonly #turns = new FairQueue(maxRequestsOnDisk);

	constructor(files: SourceFiles) {
		this.#files = files;
	}

	/** Opens the sources of one request. They must be discarded. */
	open(holder: string): RequestSources {
		return new RequestSources(this.#files, async () => {
			let release = () => {};
			const released = new Promise<void>(resolve => {
				release = resolve;
			});
			await new Promise<void>((resolve, reject) => {
				this.#turns
					.run(holder, async () => {
						resolve();
						await released;
					})
					.catch(reject);
			});
			return release;
		});
	}
}

/** Sources of the mails of one request. At most 4 MiB and the last mail are in memory. */
export class RequestSources {
	readonly #files: SourceFiles;
	readonly #waitForTurn: () => Promise<() => void>;
	#release: (() => void) | undefined;
	readonly #groups: Group[] = [];
	#inMemory: KeptSource[] = [];
	#inMemoryBytes = 0;
	/** Bytes of the group that was read last. */
	#lastRead: {readonly group: Group; readonly bytes: Promise<Buffer>} | undefined;

	constructor(files: SourceFiles, waitForTurn: () => Promise<() => void>) {
		this.#files = files;
		this.#waitForTurn = waitForTurn;
	}

	/** Adds the source of the next mail. Waits for a turn if the request needs the disk. Throws the errors of the store. */
	async add(bytes: Buffer): Promise<HeldSource> {
		if (this.#inMemoryBytes >= memoryBytes) {
			this.#release ??= await this.#waitForTurn();
			await this.#moveToDisk();
		}

		const source = new KeptSource(bytes);
		this.#inMemory.push(source);
		this.#inMemoryBytes += bytes.length;
		return source;
	}

	/** Removes the sources from memory and disk. Never rejects. */
	async discard(): Promise<void> {
		await Promise.allSettled(this.#groups.map(async ({staged}) => this.#files.discard(staged)));
		this.#release?.();
	}

	async #moveToDisk(): Promise<void> {
		const sources = this.#inMemory;
		const chunks = sources.flatMap(({bytes}) => chunksOf(bytes));
		const group = {staged: await this.#files.stage(Readable.from(chunks, {objectMode: false}))};
		this.#groups.push(group);
		let start = 0;
		for (const source of sources) {
			const [from, to] = [start, start + source.length];
			source.moveToDisk(async () => (await this.#readGroup(group)).subarray(from, to));
			start = to;
		}

		this.#inMemory = [];
		this.#inMemoryBytes = 0;
	}

	async #readGroup(group: Group): Promise<Buffer> {
		if (this.#lastRead?.group !== group) {
			this.#lastRead = {group, bytes: this.#readStaged(group)};
		}

		return this.#lastRead.bytes;
	}

	async #readStaged({staged}: Group): Promise<Buffer> {
		const chunks: Buffer[] = [];
		for await (const chunk of await this.#files.readStaged(staged)) {
			chunks.push(chunk);
		}

		return Buffer.concat(chunks);
	}
}

class KeptSource implements HeldSource {
	readonly length: number;
	/** All bytes; only the first ones if the rest is on disk. */
	bytes: Buffer;
	#readFromDisk: (() => Promise<Buffer>) | undefined;

	constructor(bytes: Buffer) {
		this.length = bytes.length;
		this.bytes = bytes;
	}

	get head(): Buffer {
		return this.bytes.subarray(0, smallBytes);
	}

	async read(): Promise<Buffer> {
		return this.#readFromDisk ? this.#readFromDisk() : this.bytes;
	}

	moveToDisk(read: () => Promise<Buffer>): void {
		this.bytes = Buffer.from(this.bytes.subarray(0, headBytes));
		this.#readFromDisk = read;
	}
}
