import {setTimeout as sleep} from 'node:timers/promises';
import {removeFile} from '../../lib/io/files.js';
import type {DataDir} from './data-dir.js';
import {readInline} from './journal.js';
import type {Fold} from './snapshot.js';
import type {Source} from './state/change.js';
import type {Writer, WriterParts} from './writer.js';

export type CompactorParts = Omit<WriterParts, 'written'> & {
	readonly dataDir: DataDir;
	readonly writer: Writer;
	readonly fold: Fold;
};

/** Segments to replay, or to gain, below which a run is not worth the work. */
const worthwhileSegments = 2;
/** The same while one write follows the other: the work is better done when they pause. */
const urgentSegments = 6;
/** How long there are no writes when they pause. */
const quietMs = 500;
/** Wasted bytes that are worth the work while the disk is full. */
const worthwhileWhenFull = 64 * 1024;
/** A segment is emptied when no larger share of it lives; on a full disk much more is worth the work. */
const sparse = 0.5;
const sparseWhenFull = 0.8;
/** Between two runs it pauses for as long as the first took, and at least so long: the daemon has other work. */
const minPauseMs = 100;
/** Back-off factor after a failed run. */
const failureFactor = 10;
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
	readonly #quiet: NodeJS.Timeout;
	#running: Promise<void> | undefined;
	#isFailing = false;
	/** The last snapshot, and its size; 0 when there is none. */
	#base: number;
	#baseBytes: number;
	/** The snapshot before it. */
	#previous = 0;
	/** Segments with a source that cannot be read: they stay as they are. */
	readonly #damaged = new Set<number>();

	constructor(parts: CompactorParts, base: {readonly number: number; readonly bytes: number}) {
		this.#parts = parts;
		this.#quiet = setTimeout(() => this.#start(), quietMs).unref();
		this.#base = base.number;
		this.#baseBytes = base.bytes;
	}

	/** Free space that it takes at most to make the next snapshot, and to empty a segment that is longer than it should be. */
	get neededBytes(): number {
		const {journal, segmentBytes} = this.#parts;
		return this.#baseBytes + this.#wasteIn(journal.numbersFrom(this.#base)) + 2 * segmentBytes;
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
		if (!this.#running && (this.#isLong(worthwhileSegments) || this.#isWasteful())) {
			this.#running = this.#attempt().finally(() => {
				this.#running = undefined;
				this.check();
			});
		}
	}

	/** Whether a start has more to replay than so many segments, and than the snapshot. */
	#isLong(segments: number): boolean {
		const {journal, segmentBytes} = this.#parts;
		return journal.bytesIn(journal.numbersFrom(this.#base)) >= Math.max(segments * segmentBytes, this.#baseBytes);
	}

	#isWasteful(): boolean {
		const {segmentBytes, state, writer} = this.#parts;
		const worthwhile = writer.isRefusing
			? worthwhileWhenFull
			: Math.max(worthwhileSegments * segmentBytes, state.bytesOfSegment.total + this.#baseBytes);
		return this.#wasteIn(this.#sparseSegments()) >= worthwhile;
	}

	#sparseSegments(): number[] {
		const {journal, state, writer} = this.#parts;
		const share = writer.isRefusing ? sparseWhenFull : sparse;
		return journal
			.numbersFrom(0)
			.filter(
				number => !this.#damaged.has(number) && state.bytesOfSegment.of(number) <= share * journal.bytesIn([number]),
			);
	}

	/** Bytes of segments that hold no source that lives: rows, and what was deleted or written again. */
	#wasteIn(segments: readonly number[]): number {
		const {journal, state} = this.#parts;
		return segments.reduce((bytes, number) => bytes - state.bytesOfSegment.of(number), journal.bytesIn(segments));
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
				this.#parts.log.warn({err: error}, 'Compacting the journal failed; retrying');
			}
		}

		const pauseMs = Math.max(minPauseMs, performance.now() - startedAt) * (this.#isFailing ? failureFactor : 1);
		await sleep(pauseMs, undefined, {signal, ref: false}).catch(() => {});
	}

	async #run(): Promise<void> {
		const {space, state} = this.#parts;
		await this.#makeSnapshot();
		await this.#removeUnneeded();
		for (const [segment, sources] of this.#sourcesToMove()) {
			if (state.bytesOfSegment.of(segment) > (await space.free())) {
				continue;
			}

			while (sources.length > 0 && !this.#stop.signal.aborted) {
				await Promise.all(sources.splice(0, movedTogether).map(async source => this.#move(source)));
			}

			await this.#removeUnneeded();
		}
	}

	async #makeSnapshot(): Promise<void> {
		const {space, writer} = this.#parts;
		try {
			await this.#foldUpTo(await writer.betweenWrites(async () => this.#nextSegment()));
		} catch (error) {
			if (this.#stop.signal.aborted) {
				throw error;
			}

			await this.#removeUnneeded();
			await writer.betweenWrites(async () => {
				await space.release();
				await this.#foldUpTo(await this.#nextSegment());
			});
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
		const {fold, dataDir, journal, space, state} = this.#parts;
		const dead = journal.numbersFrom(0).filter(number => state.bytesOfSegment.of(number) === 0);
		const maxBytes = Math.max(await space.free(), this.#baseBytes + journal.bytesIn(dead));
		this.#baseBytes = await fold({dir: dataDir.path, base: this.#base, next, maxBytes}, this.#stop.signal);
		this.#previous = this.#base;
		this.#base = next;
	}

	async #removeUnneeded(): Promise<void> {
		const {dataDir, journal, state, writer} = this.#parts;
		if (writer.isRefusing) {
			// A full disk has no room for what is kept in case a snapshot is damaged.
			this.#previous = this.#base;
		}

		for (const number of await dataDir.snapshotNumbers()) {
			if (number < this.#previous) {
				await removeFile(dataDir.files, dataDir.snapshot(number));
			}
		}

		for (const number of journal.numbersFrom(0)) {
			if (number < this.#previous && state.bytesOfSegment.of(number) === 0) {
				await journal.remove(number);
			}
		}
	}

	/** What lives in sparse segments. */
	#sourcesToMove(): ReadonlyMap<number, Source[]> {
		const segments = this.#sparseSegments().filter(number => number < this.#base);
		const bySegment = new Map(segments.map((number): [number, Source[]] => [number, []]));
		for (const source of bySegment.size > 0 ? this.#parts.state.tables.sources.values() : []) {
			bySegment.get(source.place?.segment ?? 0)?.push(source);
		}

		return bySegment;
	}

	/** Writes a source once more. It is found at its old place until it is durable at the new one. */
	async #move({id, place}: Source): Promise<void> {
		const {dataDir, log, writer} = this.#parts;
		const bytes = place && (await readInline(dataDir, place).catch(() => undefined));
		if (bytes) {
			await writer.commit([['put', 'sources', {id, place: null}]], bytes);
		} else if (place) {
			this.#damaged.add(place.segment);
			log.warn({source: id, place}, 'Message source is damaged and was not moved');
		}
	}
}
