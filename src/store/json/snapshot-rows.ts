import type {Change, Put, TableName} from './change.js';
import type {State} from './state.js';

/** Rows of one change: a line is read as a whole. */
const rowsPerChange = 100;

/** Changes that lead from nothing to this state. */
export function* changesOf(state: State): Generator<Change> {
	let puts: Put[] = [];
	for (const put of putsOf(state)) {
		puts.push(put);
		if (puts.length >= rowsPerChange && put[1] !== 'sources') {
			yield puts;
			puts = [];
		}
	}

	yield puts;
}

/** Each row behind what it belongs to; a source in the same change as its first message, without which it would go. */
function* putsOf(state: State): Generator<Put> {
	for (const table of ['users', 'keys', 'rates', 'teams', 'invites', 'inboxes'] as const) {
		yield* rowsOf(state, table);
	}

	const written = new Set<string>();
	for (const message of state.tables.messages.values()) {
		const source = state.tables.sources.get(message.sourceId);
		if (source && !written.has(source.id)) {
			written.add(source.id);
			yield ['put', 'sources', source];
		}

		yield ['put', 'messages', message];
	}

	yield* rowsOf(state, 'endpoints');
	yield* rowsOf(state, 'deliveries');
}

function* rowsOf<T extends TableName>(state: State, table: T): Generator<Put<T>> {
	for (const row of state.tables[table].values()) {
		yield ['put', table, row];
	}
}
