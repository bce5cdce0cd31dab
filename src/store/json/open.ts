import {type Keeping, keepsAll} from '../../domain/mail/inbox.js';
import {unreadSummary} from '../../domain/mail/message.js';
import {ensureDirectory, type Files, guardFolder, nodeFiles, removeFile} from '../../lib/io/files.js';
import type {Log} from '../../lib/log.js';
import {takeDataFolder} from '../data-folder.js';
import {createFileSecrets} from '../file-secrets.js';
import type {Store} from '../port.js';
import {Compactor} from './compactor.js';
import {completeRows, type Summarize} from './complete.js';
import {assertWholeFolder, DataDir} from './data-dir.js';
import {type Limits, limitsFor, Space} from './disk-space.js';
import {Journal} from './journal.js';
import {
	createKeyStore,
	createRateStore,
	createTeamStore,
	createUserStore,
	createWebSessionStore,
} from './nouns/accounts.js';
import {createBounceStore} from './nouns/bounces.js';
import {createDumpStore} from './nouns/dump.js';
import {EventsInMemory} from './nouns/events.js';
import {Evictions} from './nouns/evictions.js';
import {createFaultStore, FaultBacklog} from './nouns/faults.js';
import {createInboxStore} from './nouns/inboxes.js';
import {createMessageStore} from './nouns/messages.js';
import {createNodeStore} from './nouns/nodes.js';
import {createReceiptStore, createTemplateStore} from './nouns/sending.js';
import {createSourceStore, Spool} from './nouns/sources.js';
import {createUsage} from './nouns/usage.js';
import {createDeliveryStore, createEndpointStore} from './nouns/webhooks.js';
import {load} from './recovery.js';
import {type Fold, foldInWorker} from './snapshot.js';
import {Writer} from './writer.js';

export type JsonStoreOptions = Partial<Limits> & {
	/** The data directory. It is made when it is not there, and belongs to this store alone until `close`. */
	readonly dir: string;
	readonly log: Log;
	/** What inboxes keep that say nothing themselves; all unless given. */
	readonly keeping?: Keeping;
	/** Completes what an older version stored without its summary; the default finds nothing in a mail. */
	readonly summarize?: Summarize;
	/** Whether it is opened to be copied, or to become a copy: then it need not be whole. */
	readonly isForCopy?: boolean;
	/** Seams for tests. */
	readonly files?: Files;
	readonly fold?: Fold;
};

/**
 * Opens the store in a data directory, whatever a crash left there. Throws `DataDirError` when another process uses the
 * directory or a newer version wrote it, and `UnsafePathError` when another user may have prepared it.
 */
export async function openJsonStore({dir, log, files = nodeFiles, ...options}: JsonStoreOptions): Promise<Store> {
	const dataDir = new DataDir(files, dir);
	// What is kept back on a full disk makes room for the lock: nobody holds the directory, and it can be kept back again.
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
		fold = foldInWorker,
		summarize = async () => unreadSummary,
		isForCopy = false,
		keeping = keepsAll,
		...limits
	}: Omit<JsonStoreOptions, 'dir' | 'log'>,
): Promise<Store> {
	const {segmentBytes, reserveBytes} = {...(await limitsFor(dataDir)), ...limits};
	for (const folder of [dataDir.journal, dataDir.snapshots, dataDir.sources]) {
		await ensureDirectory(dataDir.files, folder);
		await guardFolder(folder, sentence => log.warn({}, sentence));
	}

	if (!isForCopy) {
		await assertWholeFolder(dataDir);
	}

	const {base, sizes, isOlder} = await load(dataDir, log);
	const {state} = base;
	const journal = new Journal(dataDir, sizes);
	await journal.start();
	if (isOlder) {
		// The version that wrote the last segment would read what is added there wrong. On a full disk there is no other place.
		await journal.rotate().catch(error => log.warn({err: error}, 'Could not start a new journal segment'));
	}

	const spool = new Spool(dataDir, log);
	const space = new Space(dataDir, reserveBytes, () => compactor.neededBytes);
	const writer = new Writer({
		state,
		journal,
		space,
		log,
		segmentBytes,
		written: () => {
			spool.remove(state.abandoned.splice(0));
			compactor.check();
		},
	});
	const compactor = new Compactor({dataDir, state, journal, writer, space, fold, log, segmentBytes}, base);
	compactor.check();
	const backlog = new FaultBacklog(state, writer);
	const close = async () => {
		await compactor.close();
		await backlog.settled();
		await writer.close();
		await spool.close();
		await journal.close();
	};
	const sources = createSourceStore(dataDir, state, spool, log);
	try {
		await completeRows({state, writer, sources, summarize, log});
	} catch (error) {
		await close();
		throw error;
	}

	const events = new EventsInMemory();
	const evictions = new Evictions(state, writer, keeping);
	const {receipts, keepReceipt} = createReceiptStore(state, writer);
	return {
		secrets: createFileSecrets(dataDir.path, log),
		users: createUserStore(state, writer),
		keys: createKeyStore(state, writer),
		webSessions: createWebSessionStore(state, writer),
		rates: createRateStore(state, writer),
		teams: createTeamStore(state, writer),
		inboxes: createInboxStore(state, writer, {events, evictions}),
		sources,
		messages: createMessageStore(state, writer, {spool, events, keepReceipt, evictions}),
		receipts,
		templates: createTemplateStore(state, writer),
		endpoints: createEndpointStore(state, writer),
		deliveries: createDeliveryStore(state, writer),
		bounces: createBounceStore(state, writer),
		faults: createFaultStore(state, writer, backlog),
		dump: createDumpStore({dataDir, state, writer, spool}),
		events,
		nodes: createNodeStore(),
		usage: createUsage(state),
		size: async () => dataDir.size(),
		isAvailable: () => true,
		close,
	};
}
