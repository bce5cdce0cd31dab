import {randomUUID} from 'node:crypto';
import type {FileHandle} from 'node:fs/promises';
import {Readable, Writable} from 'node:stream';
import {pipeline} from 'node:stream/promises';
import {stoppingError} from '../../../domain/errors.js';
import {errorCode} from '../../../lib/errors.js';
import {fileMode, removeFile, syncDirectory, writeFully} from '../../../lib/io/files.js';
import type {Log} from '../../../lib/log.js';
import {Mutex} from '../../../lib/queue/mutex.js';
import type {ByteRange, SourceStore, StagedSource} from '../../port.js';
import {inlineBytes, stageBytes} from '../../staging.js';
import type {DataDir} from '../data-dir.js';
import {storageFull} from '../disk-space.js';
import {readInlineSource} from '../journal.js';
import type {StoredSource} from '../state/change.js';
import type {State} from '../state/state.js';

/** Range of a whole source. */
const fullRange: ByteRange = {start: 0, end: Number.POSITIVE_INFINITY};

/** Sources in the JSON store: small ones are in the journal, large ones in files. */
export function createSourceStore(dataDir: DataDir, state: State, spool: Spool, log: Log): SourceStore {
	const openFile = async (id: string, range: ByteRange) =>
		(await dataDir.files.open(dataDir.source(id), 'r')).createReadStream(range);
	const open = async ({id, position}: StoredSource, range: ByteRange) => {
		if (!position) {
			return openFile(id, range);
		}

		const bytes = await readInlineSource(dataDir, position);
		return Readable.from([bytes.subarray(range.start, range.end + 1)], {objectMode: false});
	};
	return {
		stage: (bytes, id) => spool.stage(bytes, id),
		readStaged: async source => {
			const bytes = inlineBytes(source);
			return bytes ? Readable.from([bytes], {objectMode: false}) : openFile(source.id, fullRange);
		},
		discard: async source => spool.discard(source),
		read: async (id, range = fullRange) => {
			for (let source = state.tables.sources.get(id); source; source = state.tables.sources.get(id)) {
				try {
					return await open(source, range);
				} catch (error) {
					// Retries if compaction moved the source meanwhile.
					if (errorCode(error) !== 'ENOENT' || state.tables.sources.get(id) === source) {
						log.error({err: error, source}, 'Could not read a message source');
						return undefined;
					}
				}
			}

			return undefined;
		},
	};
}

/** Receives the bytes of mails that are not stored yet, and removes files. */
export class Spool {
	readonly #dataDir: DataDir;
	readonly #log: Log;
	readonly #removals = new Mutex();
	#isClosed = false;

	constructor(dataDir: DataDir, log: Log) {
		this.#dataDir = dataDir;
		this.#log = log;
	}

	/** Receives a mail. Rejects, without leaving a file, if the stream fails or ends early. `id` must not be in use. */
	async stage(bytes: Readable, id: string = randomUUID()): Promise<StagedSource> {
		if (this.#isClosed) {
			throw stoppingError();
		}

		return stageBytes(bytes, id, async (head, rest) => this.#stageFile(id, head, rest));
	}

	async discard(source: StagedSource): Promise<void> {
		if (inlineBytes(source) === undefined) {
			this.remove([source.id]);
			await this.#removals.idle();
		}
	}

	/** Removes the files of unused sources in the background. */
	remove(ids: readonly string[]): void {
		if (ids.length > 0) {
			void this.#removals.run(async () => {
				for (const id of ids) {
					await this.#removeFile(this.#dataDir.source(id));
				}
			});
		}
	}

	/** Rejects new mails and finishes the removals. */
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
		const {stream, size} = createSourceFile(this.#dataDir, this.#dataDir.source(id), head);
		await pipeline(rest, stream);
		return {id, size: size(), head};
	}
}

/** Maximum number of buffered bytes. */
const bufferBytes = 256 * 1024;

/**
 * Creates a stream that writes a large mail to a file after its first bytes. The file is durable when the stream finishes, and
 * removed if the stream is destroyed.
 */
function createSourceFile(
	{files, sources}: DataDir,
	file: string,
	head: Buffer,
): {stream: Writable; size: () => number} {
	let handle: FileHandle | undefined;
	let size = 0;
	let isDurable = false;
	const append = async (bytes: Buffer) => {
		if (handle) {
			await writeFully(handle, bytes, size);
			size += bytes.length;
		}
	};
	const cleanUp = async () => {
		await handle?.close().catch(() => {});
		if (!isDurable) {
			await removeFile(files, file).catch(() => {});
		}
	};
	const stream = new Writable({
		highWaterMark: bufferBytes,
		construct: callback =>
			settle(async () => {
				handle = await files.open(file, 'wx', fileMode);
				await append(head);
			}, callback),
		writev: (chunks, callback) => settle(async () => append(Buffer.concat(chunks.map(({chunk}) => chunk))), callback),
		final: callback =>
			settle(async () => {
				await handle?.datasync();
				await syncDirectory(files, sources);
				isDurable = true;
			}, callback),
		destroy: (error, callback) => void cleanUp().then(() => callback(error)),
	});
	return {stream, size: () => size};
}

function settle(work: () => Promise<void>, callback: (error?: Error) => void): void {
	work().then(
		() => callback(),
		error => callback(storageFull(error)),
	);
}
