import type {PendingBounce} from '../../../domain/mail/bounce.js';
import type {BounceStore} from '../../port.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';

/** Bounces in the JSON store. Leases are kept in memory, since no other process uses the files. */
export function createBounceStore({tables, bounces}: State, writer: Writer): BounceStore {
	const leased = new Set<string>();
	return {
		lease: async (now, {all, ofOne}) => {
			const due: PendingBounce[] = [];
			const countOf = new Map<string, number>();
			for (const id of bounces.byTime.until(now)) {
				const bounce = leased.has(id) ? undefined : tables.bounces.get(id);
				const count = 1 + (countOf.get(bounce?.ownerId ?? '') ?? 0);
				if (!bounce || count > ofOne) {
					continue;
				}

				countOf.set(bounce.ownerId, count);
				leased.add(id);
				if (due.push(bounce) === all) {
					break;
				}
			}

			return due;
		},
		finish: async id => {
			const isEffective =
				leased.has(id) && tables.bounces.has(id) && (await writer.commit([['delete', 'bounces', id]]));
			leased.delete(id);
			return isEffective;
		},
		release: async id => {
			leased.delete(id);
		},
		nextDue: async after => bounces.byTime.next(after),
	};
}
