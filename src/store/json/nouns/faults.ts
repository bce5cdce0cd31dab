import {setTimeout as sleep} from 'node:timers/promises';
import {offsetOf} from '../../../contract/constants.js';
import {type CountedFault, type Fault, type FaultCount, type FaultHit, noCount} from '../../../domain/faults/fault.js';
import type {FaultCountRow} from '../../dump.js';
import type {CountStep, FaultStore} from '../../port.js';
import {assertInboxExists, checkFaultLimit} from '../../rules/inboxes.js';
import {daemonKey, inboxKey} from '../state/noun-indexes.js';
import type {State} from '../state/state.js';
import {rowsOf} from '../state/table.js';
import type {Writer} from '../writer.js';

/** Faults, counts and hits in the JSON store. */
export function createFaultStore(state: State, writer: Writer, faultLog: FaultLog): FaultStore {
	const {faults, faultHits, inboxes} = state.tables;
	const {ofInbox, ofStage, hitsOf, expiries} = state.faults;
	const ownerOf = (inboxId: string | null) => (inboxId === null ? daemonKey : (inboxes.get(inboxId)?.ownerId ?? ''));
	const counted = (id: string): CountedFault | undefined => {
		const fault = faults.get(id);
		const {seen, acted} = faultLog.countOf(id) ?? noCount;
		return fault && {fault, seen, acted};
	};
	return {
		create: async (fault, limit) =>
			writer.exclusive(ownerOf(fault.inboxId), async () => {
				if (fault.inboxId !== null) {
					assertInboxExists(inboxes.get(fault.inboxId));
				}

				checkFaultLimit(fault.inboxId, ofInbox.all(inboxKey(fault.inboxId)).length, limit);
				await writer.commit([['put', 'faults', fault]]);
			}),
		get: async id => {
			await faultLog.settled();
			return counted(id);
		},
		list: async inboxId => {
			await faultLog.settled();
			return ofInbox
				.all(inboxKey(inboxId))
				.map(({id}) => counted(id))
				.filter(fault => fault !== undefined);
		},
		delete: async id => {
			const inboxId = faults.get(id)?.inboxId ?? null;
			return writer.delete(ownerOf(inboxId), () => (faults.has(id) ? [['delete', 'faults', id]] : []));
		},
		deleteAll: async inboxId => {
			let count = 0;
			await writer.delete(ownerOf(inboxId), () => {
				const all = ofInbox.all(inboxKey(inboxId));
				count = all.length;
				return all.map(({id}) => ['delete', 'faults', id]);
			});
			return count;
		},
		deleteExpired: async now => {
			const expired: Fault[] = [];
			await writer.delete('expired faults', () => {
				expired.push(...rowsOf(faults, expiries.until(now)));
				return expired.map(({id}) => ['delete', 'faults', id]);
			});
			return expired;
		},
		nextExpiry: async () => expiries.next(),
		mayAct: stage => ofStage.of(stage) > 0,
		of: inboxId => ofInbox.all(inboxKey(inboxId)),
		count: async (id, key, step) => (faults.has(id) ? faultLog.count(id, key, step) : undefined),
		addHit: async hit => {
			await faultLog.addHit(hit);
			return faultHits.has(hit.id);
		},
		hit: async id => faultHits.get(id),
		hits: async (of, page) => {
			await faultLog.settled();
			const key = 'faultId' in of ? of.faultId : inboxKey(of.inboxId);
			const ids = [...hitsOf.newestFirst(key)];
			const first = offsetOf(page);
			return {rows: rowsOf(faultHits, ids.slice(first, first + page.limit)), total: ids.length};
		},
	};
}

/** Average number of times in counts that are written per millisecond. */
const timesPerMs = 1000;

/**
 * Write-behind buffer for counts and hits. Counting does not wait for the disk: counts are kept here and written in batches, one
 * commit after the other. Counts and hits of a failed commit are lost.
 */
export class FaultLog {
	readonly #state: State;
	readonly #writer: Pick<Writer, 'commit'>;
	/** Counts that are not durable yet, by id. */
	readonly #counts = new Map<string, FaultCountRow>();
	#hits: FaultHit[] = [];
	/** The last commit, running or scheduled. */
	#last: Promise<void> = Promise.resolve();
	/** Delay after a large commit, which leaves disk and processor to others. */
	#pause: Promise<void> = Promise.resolve();
	/** The scheduled commit, while counts and hits can be added to it. */
	#next: Promise<void> | undefined;

	constructor(state: State, writer: Pick<Writer, 'commit'>) {
		this.#state = state;
		this.#writer = writer;
	}

	countOf(id: string): FaultCount | undefined {
		return this.#counts.get(id) ?? this.#state.tables.faultCounts.get(id);
	}

	/** Applies a step to the count under a key of a fault, and to the total of the fault. */
	count<T>(faultId: string, key: string | null, step: CountStep<T>): T {
		const id = key === null ? faultId : `${faultId} ${key}`;
		const before = this.countOf(id) ?? noCount;
		const {count, result} = step(before);
		this.#counts.set(id, {id, faultId, ...count});
		if (key !== null) {
			const {seen, acted} = this.countOf(faultId) ?? noCount;
			const total = {seen: seen + count.seen - before.seen, acted: acted + count.acted - before.acted, passedAt: []};
			this.#counts.set(faultId, {id: faultId, faultId, ...total});
		}

		// The caller does not wait; a full disk is reported by other writes.
		this.#write().catch(() => {});
		return result;
	}

	/** Resolves when the hit is durable. */
	async addHit(hit: FaultHit): Promise<void> {
		this.#hits.push(hit);
		await this.#write();
	}

	/** Resolves when all counts and hits added so far are written. */
	async settled(): Promise<void> {
		await (this.#next ?? this.#last).catch(() => {});
	}

	async #write(): Promise<void> {
		this.#next ??= this.#last
			.catch(() => {})
			.then(async () => {
				await this.#pause;
				this.#next = undefined;
				await this.#commit([...this.#counts.values()], this.#hits.splice(0));
			});
		this.#last = this.#next;
		return this.#next;
	}

	async #commit(counts: readonly FaultCountRow[], hits: readonly FaultHit[]): Promise<void> {
		const pauseMs = Math.floor(counts.reduce((sum, {passedAt}) => sum + passedAt.length, 0) / timesPerMs);
		try {
			await this.#writer.commit([
				...counts.map(row => ['put', 'faultCounts', row] as const),
				...hits.map(hit => ['put', 'faultHits', hit] as const),
			]);
			await this.#writer.commit(this.#state.faults.excess(counts, hits));
		} finally {
			this.#pause = pauseMs > 0 ? sleep(pauseMs) : Promise.resolve();
			for (const row of counts) {
				if (this.#counts.get(row.id) === row) {
					this.#counts.delete(row.id);
				}
			}
		}
	}
}
