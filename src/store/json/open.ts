import type {Log} from '../../lib/log.js';
import type {Store} from '../store.js';
import {Compactor} from './compactor.js';
import {lockDataDir} from './data-dir-lock.js';
import type {Disk} from './disk.js';
import {ensureDirectory, type Files, nodeFiles} from './files.js';
import type {Fold} from './fold.js';
import {foldInWorker} from './fold-in-worker.js';
import {checkFormat} from './format.js';
import {Journal} from './journal.js';
import {Layout} from './layout.js';
import {type Limits, limitsFor} from './limits.js';
import {load} from './load.js';
import {createDeliveryStore} from './nouns/deliveries.js';
import {createEndpointStore} from './nouns/endpoints.js';
import {createInboxStore} from './nouns/inboxes.js';
import {createKeyStore} from './nouns/keys.js';
import {createMessageStore} from './nouns/messages.js';
import {createRateStore} from './nouns/rates.js';
import {createSourceStore} from './nouns/sources.js';
import {createTeamStore} from './nouns/teams.js';
import {createUserStore} from './nouns/users.js';
import {Reserve} from './reserve.js';
import {Room} from './room.js';
import {Spool} from './spool.js';
import type {State} from './state/state.js';
import {sweep} from './sweep.js';
import {Writer} from './writer.js';

export type JsonStoreOptions = Partial<Limits> & {
	/** The data directory. It is made when it is not there, and belongs to this store alone until `close`. */
	readonly dir: string;
	readonly log: Log;
	/** Seams for tests. */
	readonly files?: Files;
	readonly fold?: Fold;
};

/**
 * Opens the store in a data directory, whatever a crash left there. Throws `DataDirError` when another process uses the
 * directory or a newer version wrote it.
 */
export async function openJsonStore({dir, log, files = nodeFiles, ...options}: JsonStoreOptions): Promise<Store> {
	const disk: Disk = {files, layout: new Layout(dir), log};
	const {layout} = disk;
	await ensureDirectory(files, layout.dir);
	const unlock = await lockDataDir(layout);
	try {
		return await openLocked(disk, options, unlock);
	} catch (error) {
		await unlock();
		throw error;
	}
}

async function openLocked(
	disk: Disk,
	options: Omit<JsonStoreOptions, 'dir' | 'log' | 'files'>,
	unlock: () => Promise<void>,
): Promise<Store> {
	const {files, layout, log} = disk;
	const {fold = foldInWorker} = options;
	const {segmentBytes, reserveBytes} = {...(await limitsFor(files, layout.dir)), ...options};
	for (const folder of [layout.journal, layout.snapshots, layout.sources]) {
		await ensureDirectory(files, folder);
	}

	await checkFormat(files, layout);
	const {base, sizes} = await load(disk);
	const {state} = base;
	await sweep(disk, state);

	const journal = new Journal(files, layout, sizes);
	await journal.start();
	const spool = new Spool(disk);
	const reserve = new Reserve(files, layout.reserve, reserveBytes);
	const room = new Room(files, layout.dir, reserve, () => compactor.neededBytes);
	const writer = new Writer({
		state,
		journal,
		reserve,
		room,
		log,
		segmentBytes,
		written: () => {
			spool.remove(state.usage.takeAbandoned());
			compactor.check();
		},
	});
	const compactor = new Compactor({files, layout, state, journal, writer, room, fold, log, segmentBytes}, base);
	compactor.check();
	let closing: Promise<void> | undefined;
	const shutDown = async () => {
		await compactor.close();
		await writer.close();
		await spool.close();
		await journal.close();
		await unlock();
	};
	return {
		...createNouns(disk, state, writer, spool),
		close: async () => {
			closing ??= shutDown();
			return closing;
		},
	};
}

function createNouns(disk: Disk, state: State, writer: Writer, spool: Spool): Omit<Store, 'close'> {
	return {
		users: createUserStore(state, writer),
		keys: createKeyStore(state, writer),
		rates: createRateStore(state, writer),
		teams: createTeamStore(state, writer),
		inboxes: createInboxStore(state, writer),
		sources: createSourceStore(disk, state, spool),
		messages: createMessageStore(state, writer, spool),
		endpoints: createEndpointStore(state, writer),
		deliveries: createDeliveryStore(state, writer),
	};
}
