/**
 * A daemon that crashes on request and can have defects: `crash-daemon.js <data folder> [--early-reply] [--no-receipts]
 * [--ignore-errors] [--steal-lock]`. A line on its standard input, such as `before rename snapshots`, names the step at which
 * it kills itself. Its segments are small, so that snapshots and reclaims are frequent.
 */
import {rm} from 'node:fs/promises';
import path from 'node:path';
import {createInterface} from 'node:readline';
import {parseArgs} from 'node:util';
import {daemonSettings, defaultSettings} from '../../../src/config/settings.js';
import {assemble} from '../../../src/daemon/assemble.js';
import {createLog} from '../../../src/daemon/log.js';
import {type OpenStore, openResources} from '../../../src/daemon/resources.js';
import {startAll} from '../../../src/lib/lifecycle.js';
import {openJsonStore} from '../../../src/store/json/open.js';
import {createSnapshot} from '../../../src/store/json/snapshot.js';
import {type Call, stepOf, watchedFiles} from '../../unit/store/watched-files.js';

const {values: variant, positionals} = parseArgs({
	allowPositionals: true,
	options: {
		/** Replies 250 before the mail is on disk. */
		'early-reply': {type: 'boolean', default: false},
		/** Stores no receipts. */
		'no-receipts': {type: 'boolean', default: false},
		/** Treats every write as successful, also on a full disk. */
		'ignore-errors': {type: 'boolean', default: false},
		/** Deletes the lock of another daemon. */
		'steal-lock': {type: 'boolean', default: false},
	},
});
const dataDir = daemonSettings.dataDir.kind.parse(positionals[0] ?? '') ?? '';
let lastStep = '';
createInterface(process.stdin).on('line', step => {
	lastStep = step;
});
const files = watchedFiles(async (call, proceed) => {
	const step = stepOf(call, dataDir);
	dieAt(`before ${step}`);
	const result = await proceed().catch(error => pretend(call, error));
	dieAt(`after ${step}`);
	return result;
});

function pretend({name, args: [, , length]}: Call, error: unknown): unknown {
	if (variant['ignore-errors'] && name === 'write') {
		return {bytesWritten: length};
	}

	throw error;
}

function dieAt(step: string): void {
	if (step === lastStep) {
		process.kill(process.pid, 'SIGKILL');
	}
}

const openStore: OpenStore = async options => {
	if (variant['steal-lock']) {
		await rm(path.join(dataDir, 'lock'), {recursive: true, force: true});
	}

	const store = await openJsonStore({
		...options,
		files,
		createSnapshot: async job => createSnapshot(files, job),
		segmentBytes: 2 * 1024,
	});
	const add: typeof store.messages.add = async ({receipt, ...mail}) => {
		const adding = store.messages.add({...mail, ...(receipt && !variant['no-receipts'] && {receipt})});
		if (variant['early-reply']) {
			adding.catch(() => {});
		} else {
			await adding;
		}
	};
	return variant['early-reply'] || variant['no-receipts'] ? {...store, messages: {...store.messages, add}} : store;
};

const settings = {
	...defaultSettings(dataDir),
	smtpPort: 0,
	httpPort: 0,
	webhookRetryDelayMs: 50,
	webhookKeep: 1_000_000,
};
const {parts, addresses} = assemble(settings, await openResources(settings, createLog(process.stderr), openStore));
await startAll(parts);
console.log(JSON.stringify({...addresses(), pid: process.pid, data_dir: dataDir}));
