import {randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {mkdtemp} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import path from 'node:path';
import {AppError} from '../domain/errors.js';
import {StoreError} from '../lib/errors.js';
import {ensureDirectory, nodeFiles} from '../lib/io/files.js';
import {processBirth} from '../lib/io/process-lock.js';
import {removeAbandonedFolders, removeTemporaryFolder} from '../lib/io/temporary-folders.js';
import type {Log} from '../lib/log.js';
import {version} from '../lib/version.js';
import {type CopiedStore, type CopyOptions, type CopyReport, copyStore} from '../store/copy.js';
import {openJsonStore} from '../store/json/open.js';
import {type AuthorityStore, authorityInFolder, sharedAuthority} from '../tls/authority.js';

type CopyPlaces = {
	/** Data directory or URL of a database. */
	readonly from: string;
	readonly to: string;
	/** Key file that decrypts the secrets of databases. */
	readonly keyFile: string | undefined;
	readonly log: Log;
};

type Opened = {readonly store: CopiedStore; readonly authority: AuthorityStore; close(): Promise<void>};

/**
 * Copies a store that no daemon uses, with its certificate authority. Throws `StoreError` or `DataDirError` if a store
 * cannot be used or becomes unavailable.
 */
export async function copyBetween(
	{from, to, ...options}: CopyPlaces,
	follow: Pick<CopyOptions, 'onProgress' | 'signal'>,
): Promise<CopyReport> {
	if (!isDatabase(from)) {
		assertStore(from);
	}

	return withOpen(from, options, async source =>
		withOpen(to, options, async target => {
			const report = await copyStore({from: source.store, to: target.store, ...follow});
			await copyAuthority(source.authority, target.authority);
			return report;
		}),
	).catch(error => {
		throw error instanceof AppError
			? new StoreError(`${error.message} Run the same command again to resume the copy.`)
			: error;
	});
}

function isDatabase(place: string): boolean {
	return /^postgres(?:ql)?:/.test(place);
}

/** Rejects a folder without a store, because opening it would create one. */
function assertStore(folder: string): void {
	if (!existsSync(path.join(folder, 'journal'))) {
		throw new StoreError(`${path.resolve(folder)} is not a data folder: it has no folder "journal".`);
	}
}

/** Copies the authority, so that clients continue to trust the certificates. */
async function copyAuthority(from: AuthorityStore, to: AuthorityStore): Promise<void> {
	const pair = await from.read();
	if (pair && !(await to.read())) {
		await to.keep(pair);
	}
}

async function withOpen<T>(
	place: string,
	options: Pick<CopyPlaces, 'keyFile' | 'log'>,
	work: (opened: Opened) => Promise<T>,
): Promise<T> {
	const opened = await (isDatabase(place) ? openDatabase(place, options) : openFolder(place, options));
	try {
		return await work(opened);
	} finally {
		await opened.close();
	}
}

async function openFolder(folder: string, {log}: Pick<CopyPlaces, 'log'>): Promise<Opened> {
	const store = await openJsonStore({dir: folder, log, isForCopy: true});
	const certificates = path.join(folder, 'tls');
	await ensureDirectory(nodeFiles, certificates);
	return {store, authority: authorityInFolder(certificates, log), close: async () => store.close()};
}

async function openDatabase(url: string, {keyFile, log}: Pick<CopyPlaces, 'keyFile' | 'log'>): Promise<Opened> {
	if (keyFile === undefined) {
		throw new StoreError('The database requires a key file. Set --store-key-file or TINBOX_STORE_KEY_FILE.');
	}

	const {openPostgresStore} = await import('../store/postgres/open.js');
	await removeAbandonedFolders(isOfKilledCopy);
	const dataDir = await mkdtemp(path.join(tmpdir(), `tinbox-copy-${process.pid}-`));
	const tidyUp = async () => removeTemporaryFolder(dataDir);
	const node = {id: randomUUID(), name: hostname(), version};
	try {
		const store = await openPostgresStore({url, dataDir, keyFile: path.resolve(keyFile), node, log, isForCopy: true});
		const close = async () => {
			await store.close();
			await tidyUp();
		};
		return {store, authority: sharedAuthority(store.secrets), close};
	} catch (error) {
		await tidyUp();
		throw error;
	}
}

/** True for the temporary folder of a copy that was killed. */
async function isOfKilledCopy(folder: string): Promise<boolean> {
	const [, pid] = /^tinbox-copy-(\d+)-/.exec(path.basename(folder)) ?? [];
	return pid !== undefined && processBirth(Number(pid)) === undefined;
}
