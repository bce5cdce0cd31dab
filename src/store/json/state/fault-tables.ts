import type {Fault, FaultHit} from '../../../domain/faults/fault.js';
import type {FaultCountRow} from '../../dump-store.js';
import type {TableName, TableRows} from './change.js';
import {removeEach} from './dependents.js';
import type {FaultIndexes} from './fault-indexes.js';
import {Table} from './table.js';

type Placed = {readonly inboxId: string | null};

/** Faults with their counts, which go with them, and hits, which go with the inbox. `state` is asked once it is whole. */
export function createFaultTables(state: {
	readonly faults: FaultIndexes;
	readonly tables: {readonly [T in TableName]: Table<TableRows[T]>};
}) {
	const indexes = state.faults;
	const isPlaced = ({inboxId}: Placed) => inboxId === null || state.tables.inboxes.has(inboxId);
	return {
		faults: new Table<Fault>({
			indexes: [indexes.ofStage, indexes.ofInbox, indexes.expiries],
			admit: fault => (isPlaced(fault) ? fault : undefined),
			removeDependents: ({id}) => removeEach(state.tables, 'faultCounts', [id, ...indexes.countsOf.newestFirst(id)]),
		}),
		faultCounts: new Table<FaultCountRow>({
			indexes: [indexes.countsOf],
			admit: count => (state.tables.faults.has(count.faultId) ? count : undefined),
		}),
		faultHits: new Table<FaultHit>({
			indexes: [indexes.hitsOf],
			admit: hit => (isPlaced(hit) ? hit : undefined),
		}),
	};
}
