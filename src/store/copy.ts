import {createHash} from 'node:crypto';
import {createSecret} from '../domain/accounts/secrets.js';
import {type Message, rangeOf} from '../domain/mail/message.js';
import {StoreError} from '../lib/errors.js';
import {type DumpRows, type DumpTable, dumpTables} from './dump.js';
import type {SourceStore, Store} from './port.js';

const secretNames = ['token-secret', 'smtp-secret'];

/** Progress of a copy. `rows` and `done` are totals over all tables. */
export type CopyProgress = {
	readonly stage: 'copying' | 'checking';
	readonly table: DumpTable;
	readonly done: number;
	readonly rows: number;
};

/** The parts of a store that a copy needs. */
export type CopiedStore = Pick<Store, 'dump' | 'sources' | 'secrets'>;

export type CopyOptions = {
	readonly from: CopiedStore;
	readonly to: CopiedStore;
	readonly onProgress: (progress: CopyProgress) => void;
	readonly signal: AbortSignal;
};

/** Number of rows per table. */
export type CopyReport = Readonly<Record<DumpTable, number>>;

/**
 * Copies a store to an empty one, or continues an interrupted copy. Then compares the hashes of all rows and mails; a finished
 * copy is only compared. Nobody else may use the stores meanwhile. Throws `StoreError` if the target has other data, and
 * rejects when aborted.
 */
export async function copyStore(options: CopyOptions): Promise<CopyReport> {
	const {from, to} = options;
	const fromId = await idOf(from);
	const mark = await to.dump.mark();
	if (mark && mark.from !== fromId) {
		throw new StoreError('The target is a copy of another store. Choose an empty one.');
	}

	if (!mark) {
		await assertEmpty(to);
		await to.dump.setMark({from: fromId, isWhole: false});
	}

	await copySecrets(from, to);
	const counts = await countsOf(from);
	if (!mark?.isWhole) {
		await copyTables(options, counts);
	}

	await compare(options, counts);
	await to.dump.setMark({from: fromId, isWhole: true});
	return counts;
}

/** Unique id of a store. */
async function idOf({secrets}: CopiedStore): Promise<string> {
	const secret = await secrets.put('token-secret', createSecret());
	return createHash('sha256').update(`store ${secret}`).digest('hex');
}

/** Copies the secrets, so that tokens and passwords of inboxes remain valid. */
async function copySecrets(from: CopiedStore, to: CopiedStore): Promise<void> {
	for (const name of secretNames) {
		const secret = await from.secrets.get(name);
		if (secret !== undefined && (await to.secrets.put(name, secret)) !== secret) {
			throw new StoreError('The target has its own secrets. Choose an empty one.');
		}
	}
}

async function copyTables({from, to, onProgress, signal}: CopyOptions, counts: CopyReport): Promise<void> {
	let done = 0;
	for (const table of dumpTables) {
		const copied = await to.dump.count(table);
		done += copied;
		for await (const rows of from.dump.read(table, copied)) {
			signal.throwIfAborted();
			await to.dump.load(table, rows, async id => from.sources.read(id));
			done += rows.length;
			onProgress({stage: 'copying', table, done, rows: sumOf(counts)});
		}
	}
}

async function compare({from, to, onProgress, signal}: CopyOptions, counts: CopyReport): Promise<void> {
	let read = 0;
	for (const table of dumpTables) {
		const onRows = (count: number) => {
			signal.throwIfAborted();
			read += count;
			onProgress({stage: 'checking', table, done: Math.floor(read / 2), rows: sumOf(counts)});
		};
		const [source, copy] = await Promise.all([from, to].map(async store => digestOf(store, table, onRows)));
		assertEqual(table, source, copy);
	}
}

function assertEqual(table: DumpTable, source: Digest | undefined, copy: Digest | undefined): void {
	if (source?.count !== copy?.count || source?.hash !== copy?.hash) {
		throw new StoreError(
			`The copy differs from its source in the table ${table} (${source?.count} rows in the source, ${copy?.count} in the copy): one of them was in use during the copy. Copy again to an empty target.`,
		);
	}
}

async function assertEmpty({dump}: CopiedStore): Promise<void> {
	if (sumOf(await countsOf({dump})) > 0) {
		throw new StoreError('The target already contains data. Choose an empty one.');
	}
}

async function countsOf({dump}: Pick<Store, 'dump'>): Promise<CopyReport> {
	const counts = await Promise.all(dumpTables.map(async table => [table, await dump.count(table)] as const));
	return Object.fromEntries(counts) as CopyReport;
}

function sumOf(counts: CopyReport): number {
	return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** Number of rows of a table, and their hash. */
type Digest = {readonly count: number; readonly hash: string};

/** Tables whose order is not significant. */
const unordered: readonly DumpTable[] = ['bounces', 'deliveries', 'faultCounts', 'receipts', 'templates'];

const modulus = 2n ** 256n;

/**
 * Computes a digest of all rows of a table, including the bytes of messages. Digests are equal if the rows and their order are
 * equal; for messages, the order within each inbox. `onRows` is called with the number of rows read.
 */
export async function digestOf(
	{dump, sources}: Pick<Store, 'dump' | 'sources'>,
	table: DumpTable,
	onRows: (count: number) => void,
): Promise<Digest> {
	/** Number of previous rows by group. The order of rows is significant within a group. */
	const counts = new Map<string, number>();
	const indexOf = (row: DumpRows[DumpTable]) => {
		const group = 'sourceId' in row ? row.inboxId : '';
		const index = counts.get(group) ?? 0;
		counts.set(group, index + 1);
		return unordered.includes(table) ? 0 : index;
	};
	let count = 0;
	let sum = 0n;
	for await (const rows of dump.read(table, 0)) {
		const sourceHashes = await Promise.all(rows.map(row => ('sourceId' in row ? hashOfSource(row, sources) : '')));
		for (const [number, row] of rows.entries()) {
			const hash = createHash('sha256').update(`${indexOf(row)} ${sourceHashes[number]} ${canonicalJson(row)}`);
			sum = (sum + BigInt(`0x${hash.digest('hex')}`)) % modulus;
		}

		count += rows.length;
		onRows(rows.length);
	}

	return {count, hash: sum.toString(16)};
}

/** Hashes the bytes of a message. With several mails in a source, the first one is hashed with the data after all of them. */
async function hashOfSource(message: Message, sources: Pick<SourceStore, 'read'>): Promise<string> {
	const bytes = await sources.read(message.sourceId, message.part?.start === 0 ? undefined : rangeOf(message));
	if (!bytes) {
		return 'lost';
	}

	const hash = createHash('sha256');
	for await (const chunk of bytes) {
		hash.update(chunk);
	}

	return hash.digest('hex');
}

/** JSON that is equal for deeply equal rows. */
function canonicalJson(row: object): string {
	return JSON.stringify(row, (_, value) =>
		typeof value === 'object' && value !== null && !Array.isArray(value)
			? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
			: value,
	);
}
