import {offsetOf} from '../../../contract/constants.js';
import {AppError} from '../../../domain/errors.js';
import {type CountedFault, type Fault, noCount} from '../../../domain/faults/fault.js';
import type {FaultStore} from '../../fault-store.js';
import type {FaultBacklog} from '../fault-backlog.js';
import {daemonKey, keyOf} from '../state/fault-indexes.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';
import {rowsOf} from './rows.js';

export function createFaultStore(state: State, writer: Writer, backlog: FaultBacklog): FaultStore {
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
				if (fault.inboxId !== null && !inboxes.has(fault.inboxId)) {
					throw new AppError('not_found', 'The inbox was deleted.');
				}

				if (ofInbox.all(keyOf(fault.inboxId)).length >= limit) {
					const whose = fault.inboxId === null ? 'The daemon' : 'The inbox';
					throw new AppError('too_many_faults', `${whose} has ${limit} faults, the maximum. Delete one first.`);
				}

				await writer.commit([['put', 'faults', fault]]);
			}),
		get: async id => {
			await backlog.settled();
			return counted(id);
		},
		list: async inboxId => {
			await backlog.settled();
			return ofInbox
				.all(keyOf(inboxId))
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
				const all = ofInbox.all(keyOf(inboxId));
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
		of: inboxId => ofInbox.all(keyOf(inboxId)),
		count: async (id, key, step) => (faults.has(id) ? backlog.count(id, key, step) : undefined),
		addHit: async hit => {
			await backlog.addHit(hit);
			return faultHits.has(hit.id);
		},
		hit: async id => faultHits.get(id),
		hits: async (of, page) => {
			await backlog.settled();
			const key = 'faultId' in of ? of.faultId : keyOf(of.inboxId);
			const ids = [...hitsOf.newestFirst(key)];
			const first = offsetOf(page);
			return {rows: rowsOf(faultHits, ids.slice(first, first + page.limit)), total: ids.length};
		},
	};
}
