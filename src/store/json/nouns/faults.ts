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

export function createFaultStore(state: State, writer: Writer, backlog: FaultLog): FaultStore {
	const {faults, faultHits, inboxes} = state.tables;
	const {ofInbox, ofStage, hitsOf, expiries} = state.faults;
	const ownerOf = (inboxId: string | null) => (inboxId === null ? daemonKey : (inboxes.get(inboxId)?.ownerId ?? ''));
	const counted = (id: string): CountedFault | undefined => {
		const fault = faults.get(id);
		const {seen, acted} = backlog.countOf(id) ?? noCount;
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
			await backlog.settled();
			return counted(id);
		},
		list: async inboxId => {
			await backlog.settled();
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
			const gone: Fault[] = [];
			await writer.delete('expired faults', () => {
				gone.push(...rowsOf(faults, expiries.until(now)));
				return gone.map(({id}) => ['delete', 'faults', id]);
			});
			return gone;
		},
		nextExpiry: async () => expiries.next(),
		mayAct: stage => ofStage.of(stage) > 0,
		of: inboxId => ofInbox.all(inboxKey(inboxId)),
		count: async (id, key, step) => (faults.has(id) ? backlog.count(id, key, step) : undefined),
		addHit: async hit => {
			await backlog.addHit(hit);
			return faultHits.has(hit.id);
		},
		hit: async id => faultHits.get(id),
		hits: async (of, page) => {
			await backlog.settled();
			const key = 'faultId' in of ? of.faultId : inboxKey(of.inboxId);
			const ids = [...hitsOf.newestFirst(key)];
			const first = offsetOf(page);
			return {rows: rowsOf(faultHits, ids.slice(first, first + page.limit)), total: ids.length};
		},
	};
}

/** Times that counts remember, of which so many are written in a millisecond on the average. */
const timesPerMs = 1000;

/**
 * Counts and hits on their way to the disk. They are counted here first and written together, one commit after the other: who
 * is counted waits for no disk. What it refuses is forgotten.
 */
export class FaultLog {
	readonly #state: State;
	readonly #writer: Pick<Writer, 'commit'>;
	/** The newest of those that are not durable yet, by id. */
	readonly #counts = new Map<string, FaultCountRow>();
	#hits: FaultHit[] = [];
	#last: Promise<void> = Promise.resolve();
	/** Is over when what was written last has left others enough of the disk and the processor. */
	#rest: Promise<void> = Promise.resolve();
	/** The commit that is to come, while it takes more. */
	#next: Promise<void> | undefined;

	constructor(state: State, writer: Pick<Writer, 'commit'>) {
		this.#state = state;
		this.#writer = writer;
	}

	countOf(id: string): FaultCount | undefined {
		return this.#counts.get(id) ?? this.#state.tables.faultCounts.get(id);
	}

	/** Takes a step with the count under a key of a fault, and counts it for the fault as a whole. */
	count<T>(faultId: string, key: string | null, step: CountStep<T>): T {
		const id = key === null ? faultId : `${faultId} ${key}`;
		const before = this.countOf(id) ?? noCount;
		const {count, result} = step(before);
		this.#counts.set(id, {id, faultId, ...count});
		if (key !== null) {
			const {seen, acted} = this.countOf(faultId) ?? noCount;
			const all = {seen: seen + count.seen - before.seen, acted: acted + count.acted - before.acted, passedAt: []};
			this.#counts.set(faultId, {id: faultId, faultId, ...all});
		}

		// Nobody waits for it, and who reads is told of its failure by the writes to come.
		this.#write().catch(() => {});
		return result;
	}

	/** Resolves once it is durable. */
	async addHit(hit: FaultHit): Promise<void> {
		this.#hits.push(hit);
		await this.#write();
	}

	/** Resolves when nothing is on its way that was given so far. */
	async settled(): Promise<void> {
		await (this.#next ?? this.#last).catch(() => {});
	}

	async #write(): Promise<void> {
		this.#next ??= this.#last
			.catch(() => {})
			.then(async () => {
				await this.#rest;
				this.#next = undefined;
				await this.#commit([...this.#counts.values()], this.#hits.splice(0));
			});
		this.#last = this.#next;
		return this.#next;
	}

	async #commit(counts: readonly FaultCountRow[], hits: readonly FaultHit[]): Promise<void> {
		const restMs = Math.floor(counts.reduce((sum, {passedAt}) => sum + passedAt.length, 0) / timesPerMs);
		try {
			await this.#writer.commit([
				...counts.map(row => ['put', 'faultCounts', row] as const),
				...hits.map(hit => ['put', 'faultHits', hit] as const),
			]);
			await this.#writer.commit(this.#state.faults.excess(counts, hits));
		} finally {
			this.#rest = restMs > 0 ? sleep(restMs) : Promise.resolve();
			for (const row of counts) {
				if (this.#counts.get(row.id) === row) {
					this.#counts.delete(row.id);
				}
			}
		}
	}
}
