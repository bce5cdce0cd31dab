import type {Readable} from 'node:stream';
import type {DumpRows, DumpStore, DumpTable, ReadSource} from '../../dump.js';
import type {StagedSource} from '../../port.js';
import {inlineBytes} from '../../staging.js';
import {type DataDir, readCopyMark, writeCopyMark} from '../data-dir.js';
import type {DeliveryRow, Put} from '../state/change.js';
import type {State} from '../state/state.js';
import {batches} from '../state/table.js';
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
	return {
		count: async name => state.tables[name].size,
		read: async function* <T extends DumpTable>(name: T, skip: number) {
			const dumped = (row: object) => (name === 'deliveries' ? withBody(row as DeliveryRow, state) : row);
			for (const rows of batches<object>(state.tables[name].values(), rowsPerBatch, skip)) {
				yield rows.map(dumped) as Array<DumpRows[T]>;
			}
		},
		load: async (name, rows, readSource) => {
			if (name === 'messages') {
				await loadMessages(rows as ReadonlyArray<DumpRows['messages']>, {state, writer, spool, readSource});
			} else if (name === 'deliveries') {
				await writer.commit(putsOf(rows as ReadonlyArray<DumpRows['deliveries']>));
			} else {
				await writer.commit(rows.map(row => ['put', name, row as object] as Put));
			}
		},
		mark: async () => readCopyMark(dataDir),
		setMark: async mark => writeCopyMark(dataDir, mark),
	};
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
						['put', 'sources', {id: source.id, position: null}],
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
