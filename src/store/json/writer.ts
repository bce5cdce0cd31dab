import {setImmediate as turn} from 'node:timers/promises';
import type {Log} from '../../lib/log.js';
import {Slices} from '../../lib/queue/event-loop.js';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import {Mutex} from '../../lib/queue/mutex.js';
import {retry} from '../../lib/time/sleep.js';
import {type Space, stopping, storageFull} from './disk-space.js';
import type {Journal} from './journal.js';
import {encodeLine} from './lines.js';
import type {Change, Delete, LinePlace} from './state/change.js';
import type {State} from './state/state.js';
import {type Begun, type Evicted, finish, type Steps} from './state/table.js';

/** How often, and how far apart, what makes room is tried on a full disk. */
const onFullDisk = {maxTries: 20, minMs: 50, maxMs: 50};

/** Rows that are applied before others have a turn, if they are not of one change. */
const rowsAtOnce = 1000;

/** Rows, which can be long, that are turned into text before others have a turn. */
const rowsInSlice = 50;

type Waiting = {
	readonly change: Change;
	readonly line: Buffer;
	readonly hasSource: boolean;
	readonly resolve: (begun: Begun) => void;
	readonly reject: (error: unknown) => void;
};

export type WriterParts = {
	readonly state: State;
	readonly journal: Journal;
	readonly space: Space;
	readonly log: Log;
	/** Bytes after which the journal goes on in a new segment. */
	readonly segmentBytes: number;
	/** Called after each write, whatever came of it, and when all that it deleted is gone. */
	readonly written: () => void;
};

/**
 * The one way in which anything changes: first on disk, then in memory. Changes that come while others are being
 * written wait, and are then written together, with one sync for all.
 */
export class Writer {
	readonly #parts: WriterParts;
	readonly #checks = new FairQueue([null]);
	readonly #removals = new Slices();
	readonly #disk = new Mutex();
	#waiting: Waiting[] = [];
	#isRefusing = false;
	#isClosed = false;

	constructor(parts: WriterParts) {
		this.#parts = parts;
	}

	/** Whether the disk refused the last write. */
	get isRefusing(): boolean {
		return this.#isRefusing;
	}

	/**
	 * Makes a change; `source` are the bytes of the source in it. Resolves, once it is durable, to whether it changed
	 * anything: what it is about may have been deleted while it waited. An empty change is not written.
	 */
	async commit(change: Change, source?: Buffer): Promise<boolean> {
		return change.length > 0 && (await this.#finish(change, source)).isEffective;
	}

	/** The same; resolves to the messages that were evicted. */
	async evict(change: Change, source?: Buffer): Promise<readonly Evicted[]> {
		return (await this.#finish(change, source)).evicted;
	}

	/**
	 * Deletes rows, which are chosen when it is the owner's turn, with all that belongs to them. Once that is durable, nobody
	 * sees any of it; in memory it then goes bit by bit, and at the next start at once. Resolves, when all is gone, to whether
	 * there was anything.
	 */
	async delete(owner: string, choose: () => readonly Delete[]): Promise<boolean> {
		const begun = await this.exclusive(owner, async () => {
			const deletes = choose();
			return deletes.length > 0 ? this.#store(deletes) : undefined;
		});
		if (begun) {
			await this.#removals.run(owner, this.#whileOpen(begun.rest));
			if (!this.#isClosed) {
				this.#parts.written();
			}
		}

		return begun?.isEffective ?? false;
	}

	/** Runs a check together with its commit. One at a time, so that no two pass the same check; owners take turns. */
	async exclusive<T>(owner: string, work: () => Promise<T>): Promise<T> {
		return this.#checks.run(owner, work);
	}

	/** Runs work during which nothing is written to the journal. */
	async betweenWrites<T>(work: () => Promise<T>): Promise<T> {
		return this.#disk.run(work);
	}

	/** Finishes what was accepted, and refuses everything else. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await this.#disk.idle();
	}

	async #finish(change: Change, source?: Buffer): Promise<Begun> {
		const begun = await this.#store(change, source);
		finish(begun.rest);
		return begun;
	}

	async #store(change: Change, source?: Buffer): Promise<Begun> {
		const text = change.length > rowsInSlice ? await inSlices(change) : JSON.stringify(change);
		if (this.#isClosed) {
			throw stopping();
		}

		const line = source ? encodeLine(text, `"${source.toString('base64')}"`) : encodeLine(text);
		return new Promise((resolve, reject) => {
			this.#waiting.push({change, line, hasSource: source !== undefined, resolve, reject});
			if (this.#waiting.length === 1) {
				void this.#disk.run(async () => this.#writeWaiting());
			}
		});
	}

	*#whileOpen(steps: Steps): Generator {
		for (const step of steps) {
			if (this.#isClosed) {
				return;
			}

			yield step;
		}
	}

	async #writeWaiting(): Promise<void> {
		// One turn of the event loop, for what other connections bring in the same moment: fewer syncs cost less than it.
		await turn();
		const batch = this.#waiting.splice(0);
		const bytes = Buffer.concat(batch.map(({line}) => line));
		try {
			await this.#parts.space.take(bytes.length);
			await this.#rotateWhenFull();
			await this.#append(batch, bytes);
			this.#isRefusing = false;
		} catch (error) {
			await this.#refuse(batch, error);
		}

		this.#parts.written();
	}

	async #append(batch: readonly Waiting[], bytes: Buffer): Promise<void> {
		const {journal, state} = this.#parts;
		let offset = await journal.append(bytes);
		let rows = 0;
		for (const {change, line, hasSource, resolve} of batch) {
			rows += change.length;
			if (rows > rowsAtOnce) {
				rows = change.length;
				await turn();
			}

			const place: LinePlace | null = hasSource ? {segment: journal.last, offset, length: line.length - 1} : null;
			resolve(state.begin(change, place));
			offset += line.length;
		}
	}

	/** Changes that make room get a second try, with the reserve. */
	async #refuse(batch: readonly Waiting[], reason: unknown): Promise<void> {
		if (!this.#isRefusing) {
			this.#isRefusing = true;
			this.#parts.log.error({err: reason}, 'Writing to the disk failed; rejecting changes until it works again');
		}

		const makingRoom = batch.filter(({change}) => makesRoom(change));
		for (const waiting of batch.filter(waiting => !makingRoom.includes(waiting))) {
			waiting.reject(storageFull(reason));
		}

		if (makingRoom.length > 0) {
			await this.#appendSurely(makingRoom).catch(error => {
				for (const waiting of makingRoom) {
					waiting.reject(storageFull(error));
				}
			});
		}
	}

	/** First without the reserve, then with it. Several times: a snapshot under way may use up both until it fails. */
	async #appendSurely(batch: readonly Waiting[]): Promise<void> {
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

/** The JSON of a large change. Others have a turn in between. */
async function inSlices(change: Change): Promise<string> {
	const texts: string[] = [];
	for (let first = 0; first < change.length; first += rowsInSlice) {
		const text = JSON.stringify(change.slice(first, first + rowsInSlice));
		texts.push(text.slice(1, -1));
		await turn();
	}

	return `[${texts.join(',')}]`;
}

/** Deletes and evictions do, and sources that are written once more: the segment where they were is removed. */
function makesRoom(change: Change): boolean {
	return change.every(([verb, table]) => verb === 'delete' || verb === 'evict' || table === 'sources');
}
