import {setTimeout as sleep} from 'node:timers/promises';
import type {Log} from '../../lib/log.js';
import {type Files, removeFile} from './files.js';
import type {Fold} from './fold.js';
import {numbersIn} from './folder.js';
import {readInline} from './inline-source.js';
import type {Journal} from './journal.js';
import type {Layout} from './layout.js';
import type {Source} from './state/change.js';
import type {State} from './state/state.js';
import type {Writer} from './writer.js';

export type CompactorParts = {
	readonly files: Files;
	readonly layout: Layout;
	readonly state: State;
	readonly journal: Journal;
	readonly writer: Writer;
	readonly fold: Fold;
	readonly log: Log;
	/** Bytes below which neither a longer start nor wasted space is worth the work. */
	readonly worthwhileBytes: number;
};

/** Wasted bytes that are worth the work while the disk is full. */
const worthwhileWhenFull = 64 * 1024;
/** Between two runs it pauses for as long as the first took, and at least so long: the daemon has other work. */
const leastPauseMs = 100;
const movedTogether = 64;

/**
 * Keeps the start short and the disk free of what was deleted. Makes a snapshot when there is much to replay or much
 * waste; removes segments that nothing needs any more, and empties those that are mostly waste by writing what lives
 * in them once more, at the end of the journal.
 *
 * The snapshot before the last one, and the segments that lead from it to the present, stay until the next snapshot is
 * durable: a damaged snapshot loses nothing.
 */
export class Compactor {
	readonly #parts: CompactorParts;
	readonly #stop = new AbortController();
	#running: Promise<void> | undefined;
	#isFailing = false;
	/** The last snapshot, and its size; 0 when there is none. */
	#base: number;
	#baseBytes: number;
	/** The snapshot before it. */
	#previous = 0;
	/** Segments with a source that cannot be read: these stay as they are. */
	readonly #stuck = new Set<number>();

	constructor(parts: CompactorParts, base: {readonly number: number; readonly bytes: number}) {
		this.#parts = parts;
		this.#base = base.number;
		this.#baseBytes = base.bytes;
	}

	/** Starts the work if it is worth it; returns at once. */
	check(): void {
		if (!this.#running && !this.#stop.signal.aborted && this.#isWorthwhile()) {
			this.#running = this.#attempt().finally(() => {
				this.#running = undefined;
				this.check();
			});
		}
	}

	async close(): Promise<void> {
		this.#stop.abort();
		await this.#running;
	}

	#isWorthwhile(): boolean {
		const {journal, state, worthwhileBytes, writer} = this.#parts;
		const least = writer.isRefusing ? worthwhileWhenFull : worthwhileBytes;
		return (
			journal.bytesFrom(this.#base) >= Math.max(worthwhileBytes, this.#baseBytes) ||
			this.#wastedBytes() >= Math.max(least, state.usage.bytes + this.#baseBytes)
		);
	}

	#wastedBytes(): number {
		const {journal, state} = this.#parts;
		let bytes = 0;
		for (const [number, size] of journal.sizes) {
			bytes += this.#stuck.has(number) ? 0 : size - state.usage.bytesIn(number);
		}

		return bytes;
	}

	async #attempt(): Promise<void> {
		const {signal} = this.#stop;
		const startedAt = performance.now();
		try {
			await this.#run();
			this.#isFailing = false;
		} catch (error) {
			if (!this.#isFailing && !signal.aborted) {
				this.#isFailing = true;
				this.#parts.log.warn({err: error}, 'The journal could not be compacted. It will be tried again.');
			}
		}

		const pauseMs = Math.max(leastPauseMs, performance.now() - startedAt);
		await sleep(pauseMs, undefined, {signal, ref: false}).catch(() => {});
	}

	async #run(): Promise<void> {
		const next = await this.#parts.writer.rotate();
		this.#baseBytes = await this.#makeSnapshot(next);
		this.#previous = this.#base;
		this.#base = next;
		await this.#removeUnneeded();
		await this.#moveSources();
	}

	async #makeSnapshot(next: number): Promise<number> {
		const {fold, layout} = this.#parts;
		const job = {dir: layout.dir, base: this.#base, next};
		try {
			return await fold(job, this.#stop.signal);
		} catch (error) {
			if (this.#stop.signal.aborted || this.#previous === this.#base) {
				throw error;
			}

			// The disk may be full: what is kept for the case of a damaged snapshot makes room for a new one.
			this.#previous = this.#base;
			await this.#removeUnneeded();
			return fold(job, this.#stop.signal);
		}
	}

	async #removeUnneeded(): Promise<void> {
		const {files, journal, layout, state} = this.#parts;
		for (const number of await numbersIn(files, layout.snapshots)) {
			if (number < this.#previous) {
				await removeFile(files, layout.snapshot(number));
			}
		}

		for (const number of [...journal.sizes.keys()]) {
			if (number < this.#previous && state.usage.bytesIn(number) === 0) {
				await journal.remove(number);
			}
		}
	}

	async #moveSources(): Promise<void> {
		const {journal, state} = this.#parts;
		const wasted = new Set<number>();
		for (const [number, size] of journal.sizes) {
			const live = state.usage.bytesIn(number);
			if (number < this.#base && live > 0 && live < size / 2 && !this.#stuck.has(number)) {
				wasted.add(number);
			}
		}

		const sources = [...state.tables.sources.values()].filter(({place}) => place && wasted.has(place.segment));
		while (sources.length > 0 && !this.#stop.signal.aborted) {
			await Promise.all(sources.splice(0, movedTogether).map(async source => this.#move(source)));
		}
	}

	/** Writes a source once more. It is found at its old place until it is durable at the new one. */
	async #move({id, place}: Source): Promise<void> {
		const {files, layout, log, writer} = this.#parts;
		const bytes = place && (await readInline(files, layout, place).catch(() => undefined));
		if (bytes) {
			await writer.commit([['put', 'sources', {id, place: null}]], bytes);
		} else if (place) {
			this.#stuck.add(place.segment);
			log.warn({source: id, place}, 'The source of a message is damaged and stays where it is.');
		}
	}
}
