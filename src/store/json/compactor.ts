import {setTimeout as sleep} from 'node:timers/promises';
import {removeFile} from '../../lib/io/files.js';
import type {DataDir} from './data-dir.js';
import {readInlineSource} from './journal.js';
import type {CreateSnapshot} from './snapshot.js';
import type {StoredSource} from './state/change.js';
import type {Writer, WriterParts} from './writer.js';

export type CompactorParts = Omit<WriterParts, 'onWritten'> & {
	readonly dataDir: DataDir;
	readonly writer: Writer;
	readonly createSnapshot: CreateSnapshot;
};

/** Minimum size of a run, in segments to replay or to reclaim. */
const minSegments = 2;
/** The same while writes continue; a run is cheaper while they pause. */
const minSegmentsWhileBusy = 6;
/** Time without writes that counts as a pause. */
const pauseAfterMs = 500;
/** Minimum number of bytes to reclaim while the disk is full. */
const minBytesOnFullDisk = 64 * 1024;
/** Maximum share of live bytes in a segment that is emptied. Higher on a full disk, where more work pays off. */
const maxLiveShare = 0.5;
const maxLiveShareOnFullDisk = 0.8;
/** Minimum delay after a run. A longer run is followed by a delay as long as the run, to leave time for other work. */
const minPauseMs = 100;
/** Back-off factor after a failed run. */
const failureFactor = 10;
/** Number of sources moved concurrently. */
const moveBatchSize = 64;

/**
 * Background compaction: keeps the start fast and reclaims the space of deleted data. Creates a snapshot if there is much to
 * replay or much waste, removes unneeded segments, and empties segments that are mostly waste by appending their live sources
 * to the journal again.
 *
 * The previous snapshot and the segments after it are kept until the next snapshot is durable, so that a damaged snapshot
 * loses no data.
 */
export class Compactor {
	readonly #parts: CompactorParts;
	readonly #stop = new AbortController();
	readonly #pauseTimer: NodeJS.Timeout;
	#running: Promise<void> | undefined;
	#isFailing = false;
	/** Number of the last snapshot; 0 if there is none. */
	#base: number;
	#baseBytes: number;
	/** Number of the previous snapshot. */
	#previous = 0;
	/** Segments with an unreadable source. They are not emptied. */
	readonly #damaged = new Set<number>();

	constructor(parts: CompactorParts, base: {readonly number: number; readonly bytes: number}) {
		this.#parts = parts;
		this.#pauseTimer = setTimeout(() => this.#start(), pauseAfterMs).unref();
		this.#base = base.number;
		this.#baseBytes = base.bytes;
	}

	/** Maximum space needed for the next snapshot and to empty an oversized segment. */
	get neededBytes(): number {
		const {journal, segmentBytes} = this.#parts;
		return this.#baseBytes + this.#wasteIn(journal.numbersFrom(this.#base)) + 2 * segmentBytes;
	}

	/** Starts a run in the background if it is urgent, otherwise when writes pause. Called after each write. */
	check(): void {
		if (this.#stop.signal.aborted) {
			return;
		}

		this.#pauseTimer.refresh();
		if (this.#parts.writer.isDiskFailing || this.#isReplayLong(minSegmentsWhileBusy)) {
			this.#start();
		}
	}

	async close(): Promise<void> {
		this.#stop.abort();
		clearTimeout(this.#pauseTimer);
		await this.#running;
	}

	#start(): void {
		if (!this.#running && (this.#isReplayLong(minSegments) || this.#isWasteful())) {
			this.#running = this.#attempt().finally(() => {
				this.#running = undefined;
				this.check();
			});
		}
	}

	/** True if a start has to replay more than `segments` segments and more than the size of the snapshot. */
	#isReplayLong(segments: number): boolean {
		const {journal, segmentBytes} = this.#parts;
		return journal.bytesIn(journal.numbersFrom(this.#base)) >= Math.max(segments * segmentBytes, this.#baseBytes);
	}

	#isWasteful(): boolean {
		const {segmentBytes, state, writer} = this.#parts;
		const minWaste = writer.isDiskFailing
			? minBytesOnFullDisk
			: Math.max(minSegments * segmentBytes, state.bytesOfSegment.total + this.#baseBytes);
		return this.#wasteIn(this.#sparseSegments()) >= minWaste;
	}

	#sparseSegments(): number[] {
		const {journal, state, writer} = this.#parts;
		const share = writer.isDiskFailing ? maxLiveShareOnFullDisk : maxLiveShare;
		return journal
			.numbersFrom(0)
			.filter(
				number => !this.#damaged.has(number) && state.bytesOfSegment.of(number) <= share * journal.bytesIn([number]),
			);
	}

	/** Bytes of segments that are not live sources: rows, and deleted or moved sources. */
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
				await Promise.all(sources.splice(0, moveBatchSize).map(async source => this.#move(source)));
			}

			await this.#removeUnneeded();
		}
	}

	async #makeSnapshot(): Promise<void> {
		const {space, writer} = this.#parts;
		try {
			await this.#createSnapshotUpTo(await writer.betweenWrites(async () => this.#nextSegment()));
		} catch (error) {
			if (this.#stop.signal.aborted) {
				throw error;
			}

			await this.#removeUnneeded();
			await writer.betweenWrites(async () => {
				await space.release();
				await this.#createSnapshotUpTo(await this.#nextSegment());
			});
		}
	}

	/** Returns the first segment after the next snapshot. Writes during its creation go there. */
	async #nextSegment(): Promise<number> {
		const {journal} = this.#parts;
		if (!journal.isLastEmpty || journal.last === this.#base) {
			await journal.rotate();
		}

		return journal.last;
	}

	/** Uses only free space and space that the snapshot reclaims immediately, since deletes need the reserve. */
	async #createSnapshotUpTo(next: number): Promise<void> {
		const {createSnapshot, dataDir, journal, space, state} = this.#parts;
		const dead = journal.numbersFrom(0).filter(number => state.bytesOfSegment.of(number) === 0);
		const maxBytes = Math.max(await space.free(), this.#baseBytes + journal.bytesIn(dead));
		this.#baseBytes = await createSnapshot({dir: dataDir.path, base: this.#base, next, maxBytes}, this.#stop.signal);
		this.#previous = this.#base;
		this.#base = next;
	}

	async #removeUnneeded(): Promise<void> {
		const {dataDir, journal, state, writer} = this.#parts;
		if (writer.isDiskFailing) {
			// A full disk has no space for the previous snapshot.
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

	/** Live sources of sparse segments, by segment. */
	#sourcesToMove(): ReadonlyMap<number, StoredSource[]> {
		const segments = this.#sparseSegments().filter(number => number < this.#base);
		const bySegment = new Map(segments.map((number): [number, StoredSource[]] => [number, []]));
		for (const source of bySegment.size > 0 ? this.#parts.state.tables.sources.values() : []) {
			bySegment.get(source.position?.segment ?? 0)?.push(source);
		}

		return bySegment;
	}

	/** Appends a source to the journal again. Its old position is used until the new one is durable. */
	async #move({id, position}: StoredSource): Promise<void> {
		const {dataDir, log, writer} = this.#parts;
		const bytes = position && (await readInlineSource(dataDir, position).catch(() => undefined));
		if (bytes) {
			await writer.commit([['put', 'sources', {id, position: null}]], bytes);
		} else if (position) {
			this.#damaged.add(position.segment);
			log.warn({source: id, place: position}, 'Message source is damaged and was not moved');
		}
	}
}
