import {createHash} from 'node:crypto';
import {createSecret} from '../domain/accounts/secrets.js';
import {StoreError} from '../lib/errors.js';
import {type Digest, digestOf} from './digest.js';
import {type DumpTable, dumpTables} from './dump-store.js';
import type {Store} from './store.js';

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
