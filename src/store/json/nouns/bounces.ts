import type {PendingBounce} from '../../../domain/bounce.js';
import type {BounceStore} from '../../bounce-store.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';

export function createBounceStore({tables, bounces}: State, writer: Writer): BounceStore {
	return {
		due: async (now, {all, ofOne}) => {
			const due: PendingBounce[] = [];
			const countOf = new Map<string, number>();
			for (const id of bounces.byTime.until(now)) {
				const bounce = tables.bounces.get(id);
				const count = 1 + (countOf.get(bounce?.ownerId ?? '') ?? 0);
				if (!bounce || count > ofOne) {
					continue;
				}

				countOf.set(bounce.ownerId, count);
				if (due.push(bounce) === all) {
					break;
				}
			}

			return due;
		},
		nextDue: async after => bounces.byTime.next(after),
		delete: async id => tables.bounces.has(id) && writer.commit([['delete', 'bounces', id]]),
	};
}
