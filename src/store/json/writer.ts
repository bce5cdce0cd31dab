import {setImmediate as nextTurn} from 'node:timers/promises';
import {stoppingError} from '../../domain/errors.js';
import type {Log} from '../../lib/log.js';
import {TimeSlicer} from '../../lib/queue/event-loop.js';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import {Mutex} from '../../lib/queue/mutex.js';
import {retry} from '../../lib/time/sleep.js';
import {type DiskSpace, storageFull} from './disk-space.js';
import type {Journal} from './journal.js';
import {encodeLine} from './lines.js';
import type {Change, Delete, LinePosition} from './state/change.js';
import type {State} from './state/state.js';
import {type EvictedMessages, runAll, type StartedChange, type Steps} from './state/table.js';

/** Retries of changes that free space on a full disk. */
const onFullDisk = {maxTries: 20, minMs: 50, maxMs: 50};

/** Maximum number of rows applied per turn of the event loop, unless one change has more. */
const rowsPerTurn = 1000;

/** Maximum number of rows serialized per turn of the event loop. */
const serializedPerTurn = 50;

/** A change waiting to be written. */
type PendingChange = {
	readonly change: Change;
	readonly line: Buffer;
	readonly hasSource: boolean;
	readonly resolve: (started: StartedChange) => void;
	readonly reject: (error: unknown) => void;
};

/** Dependencies of `Writer`. */
export type WriterParts = {
	readonly state: State;
	readonly journal: Journal;
	readonly space: DiskSpace;
	readonly log: Log;
	/** Size at which the journal starts a new segment. */
	readonly segmentBytes: number;
	/** Called after each write, also a failed one, and after the removal of deleted rows. */
	readonly onWritten: () => void;
};

/** Applies all changes, first on disk, then in memory. Changes that arrive during a write are written together, with one sync. */
export class Writer {
	readonly #parts: WriterParts;
	readonly #checks = new FairQueue(1);
	readonly #removals = new TimeSlicer();
	readonly #disk = new Mutex();
	#pending: PendingChange[] = [];
	#isDiskFailing = false;
	#isClosed = false;

	constructor(parts: WriterParts) {
		this.#parts = parts;
	}

	/** True from a failed write until the next successful one. */
	get isDiskFailing(): boolean {
		return this.#isDiskFailing;
	}

	/**
	 * Commits a change, with the bytes of its source. Resolves when it is durable; to false if it had no effect, since its
	 * rows were deleted meanwhile. An empty change is not written.
	 */
	async commit(change: Change, source?: Buffer): Promise<boolean> {
		return change.length > 0 && (await this.#storeAndApply(change, source)).isEffective;
	}

	/** Commits a change like `commit`. Resolves to the messages that it evicted. */
	async commitWithEvictions(change: Change, source?: Buffer): Promise<readonly EvictedMessages[]> {
		return (await this.#storeAndApply(change, source)).evicted;
	}

	/**
	 * Deletes rows with their dependent rows. `choose` selects them when it is the owner's turn. They are invisible as soon as the
	 * change is durable, and are then removed from memory in small steps; a restart removes them at once. Resolves to false if
	 * there was nothing to delete.
	 */
	async delete(owner: string, choose: () => readonly Delete[]): Promise<boolean> {
		const started = await this.exclusive(owner, async () => {
			const deletes = choose();
			return deletes.length > 0 ? this.#store(deletes) : undefined;
		});
		if (started) {
			await this.#removals.run(owner, this.#untilClosed(started.rest));
			if (!this.#isClosed) {
				this.#parts.onWritten();
			}
		}

		return started?.isEffective ?? false;
	}

	/** Runs a check and its commit without others in between, so that two cannot pass the same check. Owners take turns. */
	async exclusive<T>(owner: string, work: () => Promise<T>): Promise<T> {
		return this.#checks.run(owner, work);
	}

	/** Runs work while nothing is written to the journal. */
	async betweenWrites<T>(work: () => Promise<T>): Promise<T> {
		return this.#disk.run(work);
	}

	/** Finishes accepted changes and rejects new ones. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await this.#disk.idle();
	}

	async #storeAndApply(change: Change, source?: Buffer): Promise<StartedChange> {
		const started = await this.#store(change, source);
		runAll(started.rest);
		return started;
	}

	async #store(change: Change, source?: Buffer): Promise<StartedChange> {
		const text = change.length > serializedPerTurn ? await serializeInTurns(change) : JSON.stringify(change);
		if (this.#isClosed) {
			throw stoppingError();
		}

		const line = source ? encodeLine(text, `"${source.toString('base64')}"`) : encodeLine(text);
		return new Promise((resolve, reject) => {
			this.#pending.push({change, line, hasSource: source !== undefined, resolve, reject});
			if (this.#pending.length === 1) {
				void this.#disk.run(async () => this.#writePending());
			}
		});
	}

	*#untilClosed(steps: Steps): Generator {
		for (const step of steps) {
			if (this.#isClosed) {
				return;
			}

			yield step;
		}
	}

	async #writePending(): Promise<void> {
		// Waits one turn of the event loop for changes of other connections: a larger batch costs less than another sync.
		await nextTurn();
		const batch = this.#pending.splice(0);
		const bytes = Buffer.concat(batch.map(({line}) => line));
		try {
			await this.#parts.space.take(bytes.length);
			await this.#rotateWhenFull();
			await this.#append(batch, bytes);
			this.#isDiskFailing = false;
		} catch (error) {
			await this.#reject(batch, error);
		}

		this.#parts.onWritten();
	}

	async #append(batch: readonly PendingChange[], bytes: Buffer): Promise<void> {
		const {journal, state} = this.#parts;
		let offset = await journal.append(bytes);
		let rows = 0;
		for (const {change, line, hasSource, resolve} of batch) {
			rows += change.length;
			if (rows > rowsPerTurn) {
				rows = change.length;
				await nextTurn();
			}

			const position: LinePosition | null = hasSource ? {segment: journal.last, offset, length: line.length - 1} : null;
			resolve(state.startChange(change, position));
			offset += line.length;
		}
	}

	/** Rejects a batch, except for changes that free space: these are retried with the reserve. */
	async #reject(batch: readonly PendingChange[], reason: unknown): Promise<void> {
		if (!this.#isDiskFailing) {
			this.#isDiskFailing = true;
			this.#parts.log.error({err: reason}, 'Writing to the disk failed; rejecting changes until it works again');
		}

		const freeingSpace = batch.filter(({change}) => freesSpace(change));
		for (const pending of batch.filter(pending => !freeingSpace.includes(pending))) {
			pending.reject(storageFull(reason));
		}

		if (freeingSpace.length > 0) {
			await this.#appendWithReserve(freeingSpace).catch(error => {
				for (const pending of freeingSpace) {
					pending.reject(storageFull(error));
				}
			});
		}
	}

	/** Appends without the reserve, then with it. Retries, since a snapshot in progress may use all space until it fails. */
	async #appendWithReserve(batch: readonly PendingChange[]): Promise<void> {
		const {space} = this.#parts;
		const bytes = Buffer.concat(batch.map(({line}) => line));
		const append = async () => this.#append(batch, bytes);
		try {
			await append().catch(async () => {
				await space.release();
				await retry(append, onFullDisk);
			});
		} finally {
			await space.reserve().catch(() => {});
		}
	}

	async #rotateWhenFull(): Promise<void> {
		const {journal, log, segmentBytes} = this.#parts;
		if (journal.end >= segmentBytes) {
			await journal.rotate().catch(error => log.warn({err: error}, 'Could not start a new journal segment'));
		}
	}
}

/** Serializes a large change to JSON without blocking the event loop. */
async function serializeInTurns(change: Change): Promise<string> {
	const texts: string[] = [];
	for (let first = 0; first < change.length; first += serializedPerTurn) {
		const text = JSON.stringify(change.slice(first, first + serializedPerTurn));
		texts.push(text.slice(1, -1));
		await nextTurn();
	}

	return `[${texts.join(',')}]`;
}

/** True for deletes, evictions, and moved sources, whose old segment is removed. */
function freesSpace(change: Change): boolean {
	return change.every(([verb, table]) => verb === 'delete' || verb === 'evict' || table === 'sources');
}
