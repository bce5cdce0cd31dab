import {setTimeout as pause, setImmediate as turn} from 'node:timers/promises';
import type {Log} from '../../lib/log.js';
import type {Journal} from './journal.js';
import {encodeLine} from './line.js';
import {stopping, storageFull} from './refusals.js';
import type {Reserve} from './reserve.js';
import type {Change, Place} from './state/change.js';
import type {State} from './state/state.js';
import {Turns} from './turns.js';

/** How often, and how far apart, a delete is tried on a full disk. */
const deleteTries = 20;
const deletePauseMs = 50;

type Waiting = {
	readonly change: Change;
	readonly line: Buffer;
	readonly hasSource: boolean;
	readonly resolve: (effective: boolean) => void;
	readonly reject: (error: unknown) => void;
};

export type WriterParts = {
	readonly state: State;
	readonly journal: Journal;
	readonly reserve: Reserve;
	readonly log: Log;
	/** Bytes after which the journal goes on in a new segment. */
	readonly segmentBytes: number;
	/** Told after each write. */
	readonly written: () => void;
};

/**
 * The one way in which anything changes: first on disk, then in memory. Changes that come while others are being
 * written wait, and are then written together, with one sync for all.
 */
export class Writer {
	readonly #parts: WriterParts;
	readonly #checks = new Turns();
	readonly #disk = new Turns();
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
	 * anything: what it is about may have been deleted while it waited.
	 */
	async commit(change: Change, source?: Buffer): Promise<boolean> {
		if (this.#isClosed) {
			throw stopping();
		}

		const items = source ? [JSON.stringify(change), `"${source.toString('base64')}"`] : [JSON.stringify(change)];
		const line = encodeLine(...items);
		return new Promise((resolve, reject) => {
			this.#waiting.push({change, line, hasSource: source !== undefined, resolve, reject});
			if (this.#waiting.length === 1) {
				void this.#disk.take(async () => this.#writeWaiting());
			}
		});
	}

	/** Runs work that looks before it commits: one such work at a time, so that no two can pass the same check. */
	async exclusive<T>(work: () => Promise<T>): Promise<T> {
		return this.#checks.take(work);
	}

	/** Goes on in a new segment of the journal; its number. */
	async rotate(): Promise<number> {
		return this.#disk.take(async () => {
			await this.#parts.journal.rotate();
			return this.#parts.journal.last;
		});
	}

	/** Finishes what was accepted, and refuses everything else. */
	async close(): Promise<void> {
		this.#isClosed = true;
		await this.#checks.idle();
		await this.#disk.idle();
	}

	async #writeWaiting(): Promise<void> {
		// One turn of the event loop, for what other connections bring in the same moment.
		await turn();
		const batch = this.#waiting.splice(0);
		try {
			await this.#parts.reserve.hold();
			await this.#rotateWhenFull();
			await this.#append(batch);
			this.#isRefusing = false;
		} catch (error) {
			await this.#refuse(batch, error);
		}

		this.#parts.written();
	}

	async #append(batch: readonly Waiting[]): Promise<void> {
		const {journal, state} = this.#parts;
		let offset = await journal.append(Buffer.concat(batch.map(({line}) => line)));
		for (const {change, line, hasSource, resolve} of batch) {
			const place: Place | null = hasSource ? {segment: journal.last, offset, length: line.length - 1} : null;
			resolve(state.apply(change, place));
			offset += line.length;
		}
	}

	/** Deletes are what makes room again: they get a second try, in the space kept back for them. */
	async #refuse(batch: readonly Waiting[], reason: unknown): Promise<void> {
		this.#noteRefusal(reason);
		const deletes = batch.filter(isDelete);
		for (const waiting of batch.filter(waiting => !isDelete(waiting))) {
			waiting.reject(storageFull(reason));
		}

		if (deletes.length > 0) {
			await this.#parts.reserve.release();
			await this.#appendPatiently(deletes).catch(error => {
				for (const waiting of deletes) {
					waiting.reject(storageFull(error));
				}
			});
		}
	}

	/** A snapshot being made may take the space for a moment, before it fails and gives it back. */
	async #appendPatiently(batch: readonly Waiting[]): Promise<void> {
		for (let left = deleteTries; ; left--) {
			try {
				await this.#append(batch);
				return;
			} catch (error) {
				if (left === 1) {
					throw error;
				}

				await pause(deletePauseMs);
			}
		}
	}

	#noteRefusal(reason: unknown): void {
		if (!this.#isRefusing) {
			this.#isRefusing = true;
			this.#parts.log.error(
				{err: reason},
				'The disk refuses what is to be saved. Writes fail until it takes them again.',
			);
		}
	}

	async #rotateWhenFull(): Promise<void> {
		const {journal, log, segmentBytes} = this.#parts;
		if (journal.end >= segmentBytes) {
			await journal.rotate().catch(error => log.warn({err: error}, 'The journal could not begin a new segment.'));
		}
	}
}

function isDelete({change}: Waiting): boolean {
	return change.every(([verb]) => verb === 'delete');
}
