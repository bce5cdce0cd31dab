import {setTimeout as sleep} from 'node:timers/promises';
import type {Log} from '../../lib/log.js';
import {type Files, removeFile} from './files.js';
import type {Fold} from './fold.js';
import {numbersIn} from './folder.js';
import {readInline} from './inline-source.js';
import type {Journal} from './journal.js';
import type {Layout} from './layout.js';
import type {Room} from './room.js';
import type {Source} from './state/change.js';
import type {State} from './state/state.js';
import {Waste} from './waste.js';
import type {Writer} from './writer.js';

export type CompactorParts = {
	readonly files: Files;
	readonly layout: Layout;
	readonly state: State;
	readonly journal: Journal;
	readonly writer: Writer;
	readonly room: Room;
	readonly fold: Fold;
	readonly log: Log;
	/** Of a segment that is not continued any more. */
	readonly segmentBytes: number;
};

/** Bytes below which, in segments, neither a longer start nor wasted space is worth the work. */
const worthwhileSegments = 2;
/** The same while there is one write after another: the work is better done when they pause. */
const urgentSegments = 6;
/** How long there are no writes when they pause. */
const quietMs = 500;
/** Wasted bytes that are worth the work while the disk is full. */
const worthwhileWhenFull = 64 * 1024;
/** A segment is emptied when no more of it lives; on a full disk much more is worth the work. */
const sparse = 0.5;
const sparseWhenFull = 0.8;
/** Between two runs it pauses for as long as the first took, and at least so long: the daemon has other work. */
const leastPauseMs = 100;
/** So many times as long after a run that failed: the next one is likely to fail as well. */
const pausesAfterFailure = 10;
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
	readonly #waste: Waste;
	readonly #quiet: NodeJS.Timeout;

	constructor(parts: CompactorParts, base: {readonly number: number; readonly bytes: number}) {
		this.#parts = parts;
		this.#waste = new Waste(parts.journal, parts.state.usage);
		this.#quiet = setTimeout(() => this.#start(), quietMs).unref();
		this.#base = base.number;
		this.#baseBytes = base.bytes;
	}

	/** To be called after each write. Starts the work if it cannot wait, else when the writes pause; returns at once. */
	check(): void {
		if (this.#stop.signal.aborted) {
			return;
		}

		this.#quiet.refresh();
		if (this.#parts.writer.isRefusing || this.#isLong(urgentSegments)) {
			this.#start();
		}
	}

	async close(): Promise<void> {
		this.#stop.abort();
		clearTimeout(this.#quiet);
		await this.#running;
	}

	#start(): void {
		if (!this.#running && this.#isWorthwhile()) {
			this.#running = this.#attempt().finally(() => {
				this.#running = undefined;
				this.check();
			});
		}
	}

	/** Free space that it takes at most to make the next snapshot, and to empty a segment that is longer than it should be. */
	get neededBytes(): number {
		return this.#baseBytes + this.#waste.rowBytesFrom(this.#base) + 2 * this.#parts.segmentBytes;
	}

	#isWorthwhile(): boolean {
		const {segmentBytes, state, writer} = this.#parts;
		if (this.#isLong(worthwhileSegments)) {
			return true;
		}

		return writer.isRefusing
			? this.#waste.bytesIn(sparseWhenFull) >= worthwhileWhenFull
			: this.#waste.bytesIn() >= Math.max(worthwhileSegments * segmentBytes, state.usage.bytes + this.#baseBytes);
	}

	/** Whether a start has more to replay than so many segments, and than the snapshot. */
	#isLong(segments: number): boolean {
		const {journal, segmentBytes} = this.#parts;
		return journal.bytesFrom(this.#base) >= Math.max(segments * segmentBytes, this.#baseBytes);
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

		const pauseMs = Math.max(leastPauseMs, performance.now() - startedAt) * (this.#isFailing ? pausesAfterFailure : 1);
		await sleep(pauseMs, undefined, {signal, ref: false}).catch(() => {});
	}

	async #run(): Promise<void> {
		const {room, state} = this.#parts;
		await this.#makeSnapshot();
		await this.#removeUnneeded();
		for (const [segment, sources] of this.#sourcesToMove()) {
			if (state.usage.bytesIn(segment) > (await room.free())) {
				continue;
			}

			while (sources.length > 0 && !this.#stop.signal.aborted) {
				await Promise.all(sources.splice(0, movedTogether).map(async source => this.#move(source)));
			}

			await this.#removeUnneeded();
		}
	}

	async #makeSnapshot(): Promise<void> {
		const {writer} = this.#parts;
		try {
			await this.#foldUpTo(await writer.betweenWrites(async () => this.#nextSegment()));
		} catch (error) {
			if (this.#stop.signal.aborted) {
				throw error;
			}

			await this.#removeUnneeded();
			await writer.inReserve(async () => this.#foldUpTo(await this.#nextSegment()));
		}
	}

	/** The segment that the next snapshot leads to: what is written while it is being made comes there. */
	async #nextSegment(): Promise<number> {
		const {journal} = this.#parts;
		if (!journal.isLastEmpty || journal.last === this.#base) {
			await journal.rotate();
		}

		return journal.last;
	}

	/** It takes only what is free, or what it gives back at once: deletes need what is kept back for them. */
	async #foldUpTo(next: number): Promise<void> {
		const {fold, layout, room} = this.#parts;
		const maxBytes = Math.max(await room.free(), this.#baseBytes + this.#waste.deadBytes);
		this.#baseBytes = await fold({dir: layout.dir, base: this.#base, next, maxBytes}, this.#stop.signal);
		this.#previous = this.#base;
		this.#base = next;
	}

	async #removeUnneeded(): Promise<void> {
		const {files, journal, layout, state, writer} = this.#parts;
		if (writer.isRefusing) {
			// A full disk has no room for what is kept in case a snapshot is damaged.
			this.#previous = this.#base;
		}

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

	/** What lives in sparse segments. */
	#sourcesToMove(): ReadonlyMap<number, Source[]> {
		const {state, writer} = this.#parts;
		const segments = this.#waste.segments(writer.isRefusing ? sparseWhenFull : sparse);
		const bySegment = new Map(
			segments.filter(number => number < this.#base).map((number): [number, Source[]] => [number, []]),
		);
		for (const source of bySegment.size > 0 ? state.tables.sources.values() : []) {
			bySegment.get(source.place?.segment ?? 0)?.push(source);
		}

		return bySegment;
	}

	/** Writes a source once more. It is found at its old place until it is durable at the new one. */
	async #move({id, place}: Source): Promise<void> {
		const {files, layout, log, writer} = this.#parts;
		const bytes = place && (await readInline(files, layout, place).catch(() => undefined));
		if (bytes) {
			await writer.commit([['put', 'sources', {id, place: null}]], bytes);
		} else if (place) {
			this.#waste.leave(place.segment);
			log.warn({source: id, place}, 'The source of a message is damaged and stays where it is.');
		}
	}
}
