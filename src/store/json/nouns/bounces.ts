import type {PendingBounce} from '../../../domain/mail/bounce.js';
import type {BounceStore} from '../../port.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';

export function createBounceStore({tables, bounces}: State, writer: Writer): BounceStore {
	/** In memory, since no other process writes to the files. */
	const held = new Set<string>();
	return {
		lease: async (now, {all, ofOne}) => {
			const due: PendingBounce[] = [];
			const countOf = new Map<string, number>();
			for (const id of bounces.byTime.until(now)) {
				const bounce = held.has(id) ? undefined : tables.bounces.get(id);
				const count = 1 + (countOf.get(bounce?.ownerId ?? '') ?? 0);
				if (!bounce || count > ofOne) {
					continue;
				}

				countOf.set(bounce.ownerId, count);
				held.add(id);
				if (due.push(bounce) === all) {
					break;
				}
			}

			return due;
		},
		finish: async id => {
			const isEffective = held.has(id) && tables.bounces.has(id) && (await writer.commit([['delete', 'bounces', id]]));
			held.delete(id);
			return isEffective;
		},
		release: async id => {
			held.delete(id);
		},
		nextDue: async after => bounces.byTime.next(after),
	};
}
