import {readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {execa} from 'execa';
import {askDatabase, Cluster, whyNoPostgres} from '../../helpers/postgres-cluster.js';

const bin = fileURLToPath(new URL('../../../bin/tinbox.js', import.meta.url));
const kills = 3;

/**
 * @typedef {object} Copied
 * @property {number} messages
 * @property {number} killed killed calls of `tinbox store copy`
 * @property {number} refused calls that failed
 * @property {number} missing tables with fewer rows than in the source
 * @property {number} doubled tables with more rows than in the source
 * @property {number} changed tables with as many, but different rows or another order
 */

/**
 * Copies a folder to a database and the database to another folder, with three kills each, and compares the folders.
 * @param {string} home
 * @param {number} messages
 * @param {(text: string) => void} progress
 * @returns {Promise<Copied & {secondsIn: number, secondsOut: number} | {skipped: string}>}
 */
export async function copyKills(home, messages, progress) {
	const why = whyNoPostgres();
	if (why !== undefined) {
		return {skipped: why};
	}

	const stores = await buildStores();
	const cluster = new Cluster({isDurable: true});
	try {
		await cluster.create();
		const url = cluster.url(await cluster.createDatabase());
		const [from, to] = [path.join(home, 'from'), path.join(home, 'to')];
		await stores('fill', from, String(messages));
		const keyFile = path.join(home, 'key');
		const countThere = async () => {
			const [row] = await askDatabase(url, 'select count(*)::int as there from tinbox.messages').catch(() => []);
			return Number(row?.['there'] ?? 0) / messages;
		};
		const into = await copyKilled({from, to: url, keyFile}, countThere, progress);
		const size = await bytesIn(from);
		const out = await copyKilled({from: url, to, keyFile}, async () => (await bytesIn(to)) / size, progress);
		return {
			messages,
			killed: into.killed + out.killed,
			refused: into.refused + out.refused,
			...(await compare(stores, from, to)),
			secondsIn: into.seconds,
			secondsOut: out.seconds,
		};
	} finally {
		await cluster.remove();
	}
}

/**
 * Copies a folder to another folder and then deletes a message, which the comparison must detect.
 * @param {string} home
 * @returns {Promise<Copied>}
 */
export async function copyWithDeletion(home) {
	const stores = await buildStores();
	const [from, to] = [path.join(home, 'from'), path.join(home, 'to')];
	await stores('fill', from, '500');
	const size = await bytesIn(from);
	const {killed} = await copyKilled(
		{from, to},
		async () => (await bytesIn(to)) / size,
		() => {},
	);
	await stores('delete', to);
	const {refused} = await copyOnce({from, to});
	return {messages: 500, killed, refused, ...(await compare(stores, from, to))};
}

/** @typedef {{from: string, to: string, keyFile?: string}} Places */

/**
 * Starts the copy repeatedly and kills it at a quarter, half and three quarters.
 * @param {Places} places
 * @param {() => Promise<number>} share copied fraction
 * @param {(text: string) => void} progress
 */
async function copyKilled(places, share, progress) {
	const startedAt = performance.now();
	let killed = 0;
	for (; killed < kills; killed++) {
		const call = start(places);
		const killAt = (killed + 1) / (kills + 1);
		while (call.exitCode === null && (await share()) < killAt) {
			await sleep(20);
		}

		progress(`${places.to}: killed at ${Math.round((await share()) * 100)} %`);
		call.kill('SIGKILL');
		if ((await call).signal !== 'SIGKILL') {
			break;
		}
	}

	const {refused} = await copyOnce(places);
	return {killed, refused, seconds: Math.round((performance.now() - startedAt) / 1000)};
}

/** @param {Places} places */
async function copyOnce(places) {
	const {exitCode, stderr} = await start(places);
	if (exitCode !== 0) {
		console.error(stderr);
	}

	return {refused: exitCode === 0 ? 0 : 1};
}

/** @param {Places} places */
function start({from, to, keyFile}) {
	const key = keyFile === undefined ? [] : ['--store-key-file', keyFile];
	return execa(process.execPath, [bin, 'store', 'copy', '--from', from, '--to', to, ...key], {reject: false});
}

/**
 * @param {Stores} stores
 * @param {string} from
 * @param {string} to
 */
async function compare(stores, from, to) {
	/** @type {Array<Record<string, {count: number, hash: string}>>} */
	const [expected = {}, actual = {}] = [
		JSON.parse(await stores('digest', from)),
		JSON.parse(await stores('digest', to)),
	];
	const counts = {missing: 0, doubled: 0, changed: 0};
	for (const [table, {count, hash}] of Object.entries(expected)) {
		const copied = actual[table]?.count ?? 0;
		counts.missing += copied < count ? 1 : 0;
		counts.doubled += copied > count ? 1 : 0;
		counts.changed += copied === count && actual[table]?.hash !== hash ? 1 : 0;
	}

	return counts;
}

/** @param {string} folder */
async function bytesIn(folder) {
	const journal = path.join(folder, 'journal');
	const names = await readdir(journal).catch(() => []);
	const sizes = await Promise.all(
		names.map(async name => (await stat(path.join(journal, name)).catch(() => ({size: 0}))).size),
	);
	return sizes.reduce((sum, size) => sum + size, 0);
}

/** @typedef {(...args: readonly string[]) => Promise<string>} Stores */

/** @returns {Promise<Stores>} */
async function buildStores() {
	const outfile = fileURLToPath(new URL('.build/copy-store.js', import.meta.url));
	await build({
		entryPoints: [fileURLToPath(new URL('copy-store.ts', import.meta.url))],
		outfile,
		bundle: true,
		format: 'esm',
		platform: 'node',
		target: 'node20',
		logLevel: 'error',
		banner: {
			js: "import {createRequire as requireFrom} from 'node:module';const require=requireFrom(import.meta.url);",
		},
	});
	return async (...args) => (await execa(process.execPath, [outfile, ...args])).stdout;
}
