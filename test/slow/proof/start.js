import {fork} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

/**
 * @typedef {object} Report of a daemon about itself, since the last one
 * @property {number} stalls how often its event loop was held for 50 ms or more
 * @property {number} longestMs for how long at most
 * @property {string[]} errors that it logged
 * @property {number} connections open
 * @property {number} timers set, but for those that keep no process alive
 * @property {number} openFiles
 * @property {number} heapMegabytes
 * @property {number} bufferMegabytes
 * @property {number} residentMegabytes
 * @property {number} processorMs for which all its threads were on a processor, since its start
 * @property {number} peakMegabytes that were resident at any time since its start
 *
 * @typedef {import('../../helpers/smtp-session.js').Address} Address
 *
 * @typedef {object} Proven a daemon under proof
 * @property {Address} smtp
 * @property {Address} smtps where sessions begin with TLS
 * @property {string} url ends in `/v1`
 * @property {string} dataDir
 * @property {string} operatorToken
 * @property {() => Promise<Report>} report after it collected garbage
 * @property {() => Promise<Report>} look as it is, at the very moment
 * @property {() => boolean} isAlive
 * @property {() => Promise<void>} stop and removes its files
 */

const outdir = fileURLToPath(new URL('.build', import.meta.url));

/** Builds what is written in TypeScript: the daemon of `startProven`, once for all that are started, and a suite. */
export async function buildProven() {
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

/**
 * @param {string} [variant] that is wrong on purpose
 * @returns {Promise<Proven>}
 */
export async function startProven(variant = '') {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-proof-'));
	const child = fork(path.join(outdir, 'proof-daemon.js'), [path.join(home, 'data'), variant], {
		execArgv: ['--expose-gc'],
	});
	const exited = once(child, 'exit');
	const [{url, smtp, smtps, dataDir}] = await once(child, 'message');
	const ask = async (/** @type {string} */ question) => {
		child.send(question);
		const [report] = await Promise.race([once(child, 'message'), exited.then(() => [])]);
		if (!report) {
			throw new Error('The daemon ended.');
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
