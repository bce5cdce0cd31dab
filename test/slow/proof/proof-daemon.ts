/**
 * A daemon process that reports its resources on request: `proof-daemon.js <data folder> [variant] [database URL]`. Each
 * variant has a defect that one suite must detect.
 */
import {pbkdf2Sync} from 'node:crypto';
import {existsSync, readdirSync} from 'node:fs';
import {Readable} from 'node:stream';
import {buffer} from 'node:stream/consumers';
import {daemonSettings, defaultSettings} from '../../../src/config/settings.js';
import {assemble} from '../../../src/daemon/assemble.js';
import {type OpenStore, openResources, storeOpener} from '../../../src/daemon/resources.js';
import {startAll} from '../../../src/lib/lifecycle.js';
import {type TaskInput, type TaskName, type TaskOutput, tasks} from '../../../src/mime/worker.js';
import {type TaskOptions, WorkerThread} from '../../../src/mime/worker-pool.js';
import {FaultEngine} from '../../../src/services/faults/engine.js';
import {openJsonStore} from '../../../src/store/json/open.js';
import type {Store} from '../../../src/store/port.js';
import {LoopWatch} from './loop-watch.js';

const variants: Readonly<Record<string, (store: Store) => Store>> = {
	/** Blocks the main thread for each mail. */
	blocking: store => ({
		...store,
		messages: {
			...store.messages,
			add(mail) {
				pbkdf2Sync('work', 'of some 200 ms', 200_000, 64, 'sha512');
				return store.messages.add(mail);
			},
		},
	}),
	/** Throws for inboxes with a name. */
	throwing: store => ({
		...store,
		inboxes: {
			...store.inboxes,
			create(inbox) {
				if (inbox.name !== null) {
					throw new TypeError('This variant does not know what to do with a name.');
				}

				return store.inboxes.create(inbox);
			},
		},
	}),
	/** Reads each mail as a whole and never releases it. */
	unstreamed: store => ({
		...store,
		sources: {
			...store.sources,
			async read(id, {start, end} = {start: 0, end: Number.POSITIVE_INFINITY}) {
				const source = await store.sources.read(id);
				const bytes = await buffer(source ?? Readable.from([]));
				setInterval(() => bytes.length, 3_600_000);
				return source && Readable.from([bytes.subarray(start, end + 1)], {objectMode: false});
			},
		},
	}),
	/** Leaks memory for each mail. */
	leaking: store => ({
		...store,
		messages: {
			...store.messages,
			add(mail) {
				const taken = Buffer.alloc(50_000, 'x');
				setInterval(() => taken.length, 3_600_000);
				return store.messages.add(mail);
			},
		},
	}),
};

const [folder = '', variant = '', databaseUrl = ''] = process.argv.slice(2);
if (variant === 'single-threaded') {
	/** Parses mail on the main thread. */
	WorkerThread.prototype.run = async <Name extends TaskName>(
		name: Name,
		input: TaskInput<Name>,
		{source = Readable.from([])}: TaskOptions,
	) => (await tasks[name](input as never, source)) as TaskOutput<Name>;
}

if (variant === 'per-session') {
	/** Counts all mails of a session as one. */
	const {evaluate} = FaultEngine.prototype;
	FaultEngine.prototype.evaluate = function (occasion) {
		return evaluate.call(this, {...occasion, messageKey: async () => String(occasion.client.helo)});
	};
}

const errors: string[] = [];
const log = {
	info() {},
	warn() {},
	error: (fields: object, message: string) => void errors.push(`${message} ${describe(fields)}`),
};
const dataDir = daemonSettings.dataDir.kind.parse(folder) ?? '';
const settings = {...defaultSettings(dataDir), smtpPort: 0, httpPort: 0, store: databaseUrl || null};
const openStore: OpenStore =
	settings.store === null
		? async options => {
				const store = await openJsonStore(options);
				return variants[variant]?.(store) ?? store;
			}
		: storeOpener(settings);
const {parts, addresses} = assemble(settings, await openResources(settings, log, openStore));
const stop = await startAll(parts);
const watch = new LoopWatch();

process.on('message', question => {
	if (question === 'stop') {
		watch.stop();
		stop().then(() => process.disconnect());
		return;
	}

	const held = watch.take();
	if (question === 'report') {
		globalThis.gc?.();
		// The second collection waits until a background thread has freed the buffers of the first.
		globalThis.gc?.();
		// The requested collection is not a stall of the daemon.
		watch.take();
	}

	const resources = process.getActiveResourcesInfo();
	process.send?.({
		...held,
		errors: errors.splice(0),
		connections: resources.filter(name => name === 'TCPSocketWrap').length,
		timers: resources.filter(name => name === 'Timeout').length,
		openFiles: openFiles(),
		heapMegabytes: process.memoryUsage().heapUsed / 1e6,
		bufferMegabytes: process.memoryUsage().arrayBuffers / 1e6,
		residentMegabytes: process.memoryUsage().rss / 1e6,
		processorMs: process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3,
		peakMegabytes: process.resourceUsage().maxRSS / 1e3,
	});
});
// The parent process ended.
process.on('disconnect', () => process.exit());
process.send?.({...addresses(), dataDir});

/** Number of open files; 0 on other systems than Linux. */
function openFiles(): number {
	return existsSync('/proc/self/fd') ? readdirSync('/proc/self/fd').length : 0;
}

function describe(fields: object): string {
	return 'err' in fields && fields.err instanceof Error ? (fields.err.stack ?? fields.err.message) : '';
}
