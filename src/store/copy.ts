import {createHash} from 'node:crypto';
import {createSecret} from '../domain/accounts/secrets.js';
import {type Message, rangeOf} from '../domain/mail/message.js';
import {StoreError} from '../lib/errors.js';
import {type DumpRows, type DumpTable, dumpTables} from './dump.js';
import type {SourceStore, Store} from './port.js';

const secretNames = ['token-secret', 'smtp-secret'];

/** How far a copy is; `rows` and `done` count those of all tables. */
export type CopyProgress = {
	readonly stage: 'copying' | 'checking';
	readonly table: DumpTable;
	readonly done: number;
	readonly rows: number;
};

/** What is asked of a store that is copied, or becomes a copy. */
export type CopiedStore = Pick<Store, 'dump' | 'sources' | 'secrets'>;

export type CopyOptions = {
	readonly from: CopiedStore;
	readonly to: CopiedStore;
	readonly onProgress: (progress: CopyProgress) => void;
	readonly signal: AbortSignal;
};

/** Rows of each table. */
export type CopyReport = Readonly<Record<DumpTable, number>>;

/**
 * Copies all there is to a store in which nothing is, or only what an earlier call that was interrupted has copied: then it
 * goes on there. At the end the hashes of all rows and mails are compared. A copy that is whole is only compared. Nobody else
 * may use the stores meanwhile. Throws `StoreError`, with a sentence, when the target has other data; rejects when aborted.
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

/** Tells the store, of all stores. */
async function idOf({secrets}: CopiedStore): Promise<string> {
	const secret = await secrets.put('token-secret', createSecret());
	return createHash('sha256').update(`store ${secret}`).digest('hex');
}

/** So that tokens, the passwords of inboxes, and certificates go on working. */
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
		const there = await to.dump.count(table);
		done += there;
		for await (const rows of from.dump.read(table, there)) {
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
		const [was, is] = await Promise.all([from, to].map(async store => digestOf(store, table, onRows)));
		assertEqual(table, was, is);
	}
}

function assertEqual(table: DumpTable, was: Digest | undefined, is: Digest | undefined): void {
	if (was?.count !== is?.count || was?.hash !== is?.hash) {
		throw new StoreError(
			`The copy differs from its source in the table ${table} (${was?.count} rows in the source, ${is?.count} in the copy): one of them was in use during the copy. Copy again to an empty target.`,
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

/** How many rows of a table there are, and a hash of them. */
type Digest = {readonly count: number; readonly hash: string};

/** Tables whose order says nothing. */
const unordered: readonly DumpTable[] = ['bounces', 'deliveries', 'faultCounts', 'receipts', 'templates'];

const modulus = 2n ** 256n;

/**
 * A digest of all rows of a table and, with messages, of their bytes. It is the same in another store exactly if the rows are,
 * and their order: of messages that in each inbox. `onRows` is told how many were read.
 */
export async function digestOf(
	{dump, sources}: Pick<Store, 'dump' | 'sources'>,
	table: DumpTable,
	onRows: (count: number) => void,
): Promise<Digest> {
	/** How many came before in what a row is in order with. */
	const places = new Map<string, number>();
	const placeOf = (row: DumpRows[DumpTable]) => {
		const group = 'sourceId' in row ? row.inboxId : '';
		const place = places.get(group) ?? 0;
		places.set(group, place + 1);
		return unordered.includes(table) ? 0 : place;
	};
	let count = 0;
	let sum = 0n;
	for await (const rows of dump.read(table, 0)) {
		const sourceHashes = await Promise.all(rows.map(row => ('sourceId' in row ? hashOfSource(row, sources) : '')));
		for (const [index, row] of rows.entries()) {
			const hash = createHash('sha256').update(`${placeOf(row)} ${sourceHashes[index]} ${canonicalJson(row)}`);
			sum = (sum + BigInt(`0x${hash.digest('hex')}`)) % modulus;
		}

		count += rows.length;
		onRows(rows.length);
	}

	return {count, hash: sum.toString(16)};
}

/** Of several mails in one source the first stands for what is behind all of them. */
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

/** The same text for what is deep-equal. */
function canonicalJson(row: object): string {
	return JSON.stringify(row, (_, value) =>
		typeof value === 'object' && value !== null && !Array.isArray(value)
			? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
			: value,
	);
}
