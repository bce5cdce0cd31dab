import type {Readable} from 'node:stream';
import type {Delivery} from '../../../domain/webhooks/delivery.js';
import type {DumpRows, DumpStore, DumpTable, ReadSource} from '../../dump.js';
import type {StagedSource} from '../../port.js';
import {inlineBytes} from '../../staging.js';
import {type DataDir, readCopyMark, writeCopyMark} from '../data-dir.js';
import type {Put} from '../state/change.js';
import type {State} from '../state/state.js';
import type {Table} from '../state/table.js';
import type {Writer} from '../writer.js';
import type {Spool} from './sources.js';
import {putsOf, withBody} from './webhooks.js';

/** Rows per batch. Also limits the number of concurrently open sources. */
const rowsPerBatch = 128;

type DumpParts = {
	readonly dataDir: DataDir;
	readonly state: State;
	readonly writer: Pick<Writer, 'commit'>;
	readonly spool: Spool;
};

/** Access to all rows of the JSON store. */
export function createDumpStore({dataDir, state, writer, spool}: DumpParts): DumpStore {
	const tableOf = <T extends DumpTable>(name: T) =>
		state.tables[name] as unknown as Pick<Table<DumpRows[T]>, 'size' | 'values'>;
	return {
		count: async name => tableOf(name).size,
		read: async function* (name, skip) {
			for (const rows of batches(tableOf(name).values(), skip)) {
				yield name === 'deliveries' ? rows.map(row => withBody(row as Delivery, state) as typeof row) : rows;
			}
		},
		load: async (name, rows, readSource) => {
			if (name === 'messages') {
				await loadMessages(rows as ReadonlyArray<DumpRows['messages']>, {state, writer, spool, readSource});
			} else if (name === 'deliveries') {
				await writer.commit(putsOf(rows as ReadonlyArray<DumpRows['deliveries']>));
			} else {
				await writer.commit(rows.map(row => ['put', name, row] as unknown as Put));
			}
		},
		mark: async () => readCopyMark(dataDir),
		setMark: async mark => writeCopyMark(dataDir, mark),
	};
}

function* batches<Row>(rows: Iterable<Row>, skip: number): Generator<readonly Row[]> {
	let remainingSkip = skip;
	let batch: Row[] = [];
	for (const row of rows) {
		if (remainingSkip-- <= 0 && batch.push(row) === rowsPerBatch) {
			yield batch;
			batch = [];
		}
	}

	if (batch.length > 0) {
		yield batch;
	}
}

/** Loads messages. Each source is committed with its first message. A source that is lost in the original is lost here, too. */
async function loadMessages(
	messages: ReadonlyArray<DumpRows['messages']>,
	{
		state: {tables},
		writer,
		spool,
		readSource,
	}: Pick<DumpParts, 'state' | 'writer' | 'spool'> & {readonly readSource: ReadSource},
): Promise<void> {
	const missing = [...new Set(messages.map(({sourceId}) => sourceId))].filter(id => !tables.sources.has(id));
	const staged = new Map(
		await Promise.all(missing.map(async id => [id, await stageAs(id, spool, await readSource(id))] as const)),
	);
	const commits = messages.map(message => {
		const source = staged.get(message.sourceId);
		staged.delete(message.sourceId);
		return source
			? writer.commit(
					[
						['put', 'sources', {id: source.id, place: null}],
						['put', 'messages', message],
					],
					inlineBytes(source),
				)
			: writer.commit([['put', 'messages', message]]);
	});
	await Promise.all(commits);
}

async function stageAs(id: string, spool: Spool, bytes: Readable | undefined): Promise<StagedSource | undefined> {
	return bytes && spool.stage(bytes, id);
}
