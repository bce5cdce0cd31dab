import {type Retention, unlimitedRetention} from '../../domain/mail/inbox.js';
import type {Node} from '../../domain/node.js';
import {ensureDirectory, type Files, guardFolder, nodeFiles, removeFile} from '../../lib/io/files.js';
import type {Log} from '../../lib/log.js';
import {takeDataFolder} from '../data-folder.js';
import {createFileSecrets} from '../file-secrets.js';
import type {NodeStore, Store} from '../port.js';
import {Compactor} from './compactor.js';
import {assertCopyFinished, DataDir} from './data-dir.js';
import {DiskSpace, type Limits, limitsFor} from './disk-space.js';
import {Journal} from './journal.js';
import {
	createKeyStore,
	createRateStore,
	createTeamStore,
	createUserStore,
	createWebSessionStore,
} from './nouns/accounts.js';
import {createDumpStore} from './nouns/dump.js';
import {EventsInMemory} from './nouns/events.js';
import {Evictions} from './nouns/evictions.js';
import {createFaultStore, FaultLog} from './nouns/faults.js';
import {createInboxStore} from './nouns/inboxes.js';
import {createBounceStore, createMessageStore} from './nouns/messages.js';
import {createReceiptStore, createTemplateStore} from './nouns/sending.js';
import {createSourceStore, Spool} from './nouns/sources.js';
import {createDeliveryStore, createEndpointStore, restoreBodies} from './nouns/webhooks.js';
import {recover} from './recovery.js';
import {type CreateSnapshot, createSnapshotInWorker} from './snapshot.js';
import {Writer} from './writer.js';

/** Options of `openJsonStore`. */
export type JsonStoreOptions = Partial<Limits> & {
	/** Data directory. Created if missing; used by this store alone until `close`. */
	readonly dir: string;
	readonly log: Log;
	/** Retention of inboxes without their own; default: keep everything. */
	readonly retention?: Retention;
	/** True to copy the store, or to copy to it. An unfinished copy can be opened only then. */
	readonly isForCopy?: boolean;
	/** Test seam. */
	readonly files?: Files;
	/** Test seam. */
	readonly createSnapshot?: CreateSnapshot;
};

/**
 * Opens the store in a data directory and repairs what a crash left. Throws `DataDirError` if another process uses the
 * directory or a newer version wrote it, and `UnsafePathError` if another user may have prepared it.
 */
export async function openJsonStore({dir, log, files = nodeFiles, ...options}: JsonStoreOptions): Promise<Store> {
	const dataDir = new DataDir(files, dir);
	// On a full disk, the reserve makes room for the lock. It is recreated when there is space again.
	const makeRoom = async () => removeFile(files, dataDir.reserve);
	const unlock = await takeDataFolder(dataDir.path, {log, makeRoom, files});
	const store = await openLocked(dataDir, log, options).catch(async error => {
		await unlock();
		throw error;
	});
	let closing: Promise<void> | undefined;
	return {
		...store,
		close: async () => {
			closing ??= store.close().then(unlock);
			return closing;
		},
	};
}

async function openLocked(
	dataDir: DataDir,
	log: Log,
	{
		createSnapshot = createSnapshotInWorker,
		isForCopy = false,
		retention = unlimitedRetention,
		...limits
	}: Omit<JsonStoreOptions, 'dir' | 'log'>,
): Promise<Store> {
	const {segmentBytes, reserveBytes} = {...(await limitsFor(dataDir)), ...limits};
	for (const folder of [dataDir.journal, dataDir.snapshots, dataDir.sources]) {
		await ensureDirectory(dataDir.files, folder);
		await guardFolder(folder, sentence => log.warn({}, sentence));
	}

	if (!isForCopy) {
		await assertCopyFinished(dataDir);
	}

	const {base, sizes} = await recover(dataDir, log);
	const {state} = base;
	const journal = new Journal(dataDir, sizes);
	await journal.start();
	const spool = new Spool(dataDir, log);
	const space = new DiskSpace(dataDir, reserveBytes, () => compactor.neededBytes);
	const writer = new Writer({
		state,
		journal,
		space,
		log,
		segmentBytes,
		onWritten: () => {
			spool.remove(state.takeUnusedSources());
			compactor.check();
		},
	});
	const compactor = new Compactor({dataDir, state, journal, writer, space, createSnapshot, log, segmentBytes}, base);
	compactor.check();
	const faultLog = new FaultLog(state, writer);
	await restoreBodies(state, writer, log);
	const events = new EventsInMemory();
	const evictions = new Evictions(state, writer, retention);
	const {receipts, keepReceipt} = createReceiptStore(state, writer);
	return {
		secrets: createFileSecrets(dataDir.path, log),
		users: createUserStore(state, writer),
		keys: createKeyStore(state, writer),
		webSessions: createWebSessionStore(state, writer),
		rates: createRateStore(state, writer),
		teams: createTeamStore(state, writer),
		inboxes: createInboxStore(state, writer, {events, evictions}),
		sources: createSourceStore(dataDir, state, spool, log),
		messages: createMessageStore(state, writer, {spool, events, keepReceipt, evictions}),
		receipts,
		templates: createTemplateStore(state, writer),
		endpoints: createEndpointStore(state, writer),
		deliveries: createDeliveryStore(state, writer),
		bounces: createBounceStore(state, writer),
		faults: createFaultStore(state, writer, faultLog),
		dump: createDumpStore({dataDir, state, writer, spool}),
		events,
		nodes: createNodeStore(),
		usage: async userId => state.usage(userId),
		size: async () => dataDir.size(),
		isAvailable: () => true,
		close: async () => {
			await compactor.close();
			await faultLog.settled();
			await writer.close();
			await spool.close();
			await journal.close();
		},
	};
}

/** The single node of a JSON store, in memory. */
function createNodeStore(): NodeStore {
	let node: Node | undefined;
	return {
		beat: async report => {
			const heartbeatAt = new Date().toISOString();
			node = {...report, since: node?.since ?? heartbeatAt, heartbeatAt, state: 'up'};
		},
		leave: async id => {
			node = node?.id === id ? undefined : node;
		},
		list: async () => (node ? [node] : []),
	};
}
