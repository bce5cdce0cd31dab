import type {RateStore} from '../../key-store.js';
import type {State} from '../state/state.js';
import type {Writer} from '../writer.js';

export function createRateStore(state: State, writer: Writer): RateStore {
	return {
		take: async (name, at, {count, windowMs}) =>
			writer.exclusive(name, async () => {
				const now = Date.parse(at);
				const taken = state.tables.rates.get(name)?.takenAt ?? [];
				const recent = taken.filter(time => Date.parse(time) > now - windowMs);
				const blocking = recent.at(-count);
				if (blocking !== undefined) {
					return Date.parse(blocking) + windowMs - now;
				}

				await writer.commit([['put', 'rates', {id: name, takenAt: [...recent, at]}]]);
				return 0;
			}),
	};
}
