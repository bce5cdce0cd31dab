import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {Cluster} from '../../helpers/postgres-cluster.js';

/**
 * @typedef {object} Report resources of a daemon, and events since the last report
 * @property {number} stalls times that its event loop was blocked for 50 ms or more
 * @property {number} longestMs longest stall
 * @property {string[]} errors logged errors
 * @property {number} connections open
 * @property {number} timers active timers, except unreferenced ones
 * @property {number} openFiles
 * @property {number} heapMegabytes
 * @property {number} bufferMegabytes
 * @property {number} residentMegabytes
 * @property {number} processorMs CPU time of all threads since the start
 * @property {number} peakMegabytes maximum resident memory since the start
 *
 * @typedef {import('../../helpers/smtp-session.js').Address} Address
 *
 * @typedef {object} TestDaemon a daemon under test
 * @property {Address} smtp
 * @property {Address} smtps address for implicit TLS
 * @property {string} url URL of the API, ending with `/v1`
 * @property {string} dataDir
 * @property {string} operatorToken
 * @property {() => Promise<Report>} report report after garbage collection
 * @property {() => Promise<Report>} look report without garbage collection
 * @property {() => boolean} isAlive
 * @property {() => Promise<void>} stop stops the daemon and removes its files
 */

const outdir = fileURLToPath(new URL('.build', import.meta.url));

/** Bundles the TypeScript files: the daemon of `startProven` and a suite. */
export async function buildTestDaemon() {
	await build({
		entryPoints: ['proof-daemon.ts', 'suites/requests.ts'].map(file => fileURLToPath(new URL(file, import.meta.url))),
		outdir,
		entryNames: '[name]',
		bundle: true,
		format: 'esm',
		platform: 'node',
		target: 'node20',
		logLevel: 'error',
		banner: {
			js: "import {createRequire as requireFrom} from 'node:module';const require=requireFrom(import.meta.url);",
		},
	});
}

/** Starts a daemon with limited open files: `sh -c <this> <limit> <command>`. */
const withOpenFiles = 'ulimit -n "$0" && exec "$@"';

/**
 * @typedef {object} DaemonOptions
 * @property {number} [openFiles] limit of open files
 * @property {string} [store] URL of a database; files by default
 *
 * @param {string} [variant] name of a variant with a defect
 * @param {DaemonOptions} [options]
 * @returns {Promise<TestDaemon>}
 */
export async function startTestDaemon(variant = '', {openFiles, store = ''} = {}) {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-proof-'));
	const program = ['--expose-gc', path.join(outdir, 'proof-daemon.js'), path.join(home, 'data'), variant, store];
	const [command = '', ...words] =
		openFiles === undefined
			? [process.execPath, ...program]
			: ['sh', '-c', withOpenFiles, `${openFiles}`, process.execPath, ...program];
	const child = spawn(command, words, {stdio: ['inherit', 'inherit', 'inherit', 'ipc']});
	const exited = once(child, 'exit');
	const [{url, smtp, smtps, dataDir}] = await once(child, 'message');
	const ask = async (/** @type {string} */ question) => {
		child.send(question);
		const [report] = await Promise.race([once(child, 'message'), exited.then(() => [])]);
		if (!report) {
			throw new Error('The daemon exited.');
		}

		return report;
	};
	return {
		url,
		smtp,
		smtps: {...smtps, secure: 'implicit'},
		dataDir,
		operatorToken: (await readFile(path.join(dataDir, 'operator-token'), 'utf8')).trim(),
		report: () => ask('report'),
		look: () => ask('look'),
		isAlive: () => child.exitCode === null && child.signalCode === null,
		async stop() {
			if (child.connected) {
				child.send('stop');
			}

			await exited;
			await rm(home, {recursive: true, force: true});
		},
	};
}

/**
 * Starts a daemon on a new PostgreSQL server, which stops with it.
 * @param {Omit<DaemonOptions, 'store'>} [options]
 * @returns {Promise<TestDaemon>}
 */
export async function startTestDaemonOnPostgres(options) {
	const cluster = new Cluster();
	await cluster.create();
	const daemon = await startTestDaemon('', {...options, store: cluster.url('postgres')});
	return {...daemon, stop: () => daemon.stop().then(() => cluster.remove())};
}
