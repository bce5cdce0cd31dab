import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {execa} from 'execa';

/** @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon */

const bin = fileURLToPath(new URL('../../bin/tinbox.js', import.meta.url));

/**
 * Starts the built daemon over the files in a folder.
 * @param {string} home
 * @param {readonly string[]} flags
 * @returns {Promise<CrashedDaemon>}
 */
export function startDaemon(home, ...flags) {
	return start([bin, 'daemon', 'run', '--json', '--smtp-port', '0', '--http-port', '0', ...flags], home);
}

/**
 * The variant that answers before the write, built for the occasion.
 * @returns {Promise<(home: string) => Promise<CrashedDaemon>>}
 */
export async function buildHastyDaemon() {
	const outfile = fileURLToPath(new URL('.build/hasty-daemon.js', import.meta.url));
	await build({
		entryPoints: [fileURLToPath(new URL('hasty-daemon.ts', import.meta.url))],
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
	return home => start([outfile, path.join(home, 'data')], home);
}

/**
 * @param {readonly string[]} args
 * @param {string} home
 * @returns {Promise<CrashedDaemon>}
 */
async function start(args, home) {
	const child = execa(process.execPath, args, {
		env: {TINBOX_HOME: home},
		stdin: 'ignore',
		stderr: 'ignore',
		buffer: false,
		reject: false,
	});
	const {url, smtp, data_dir: dataDir} = JSON.parse(await firstLine(child.stdout));
	const get = (/** @type {string} */ path, /** @type {string} */ key) => call('GET', url + path, {'x-api-key': key});
	return {
		smtp,
		async kill() {
			child.kill('SIGKILL');
			await child;
		},
		async createInbox() {
			const key = await createKey(url, dataDir);
			const {id, email_address: address} = await call('POST', `${url}/inboxes`, {'x-api-key': key});
			return {id, address, key};
		},
		async subjects({id, key}) {
			const rows = await allRows(page => get(`/inboxes/${id}/messages?${page}`, key));
			return rows.map(row => row.subject);
		},
		createEndpoint: async ({key}, receiver) =>
			(await call('POST', `${url}/webhooks`, {'x-api-key': key}, {url: receiver})).id,
		deliveries: ({key}, endpointId) =>
			allRows(async page => (await get(`/webhooks/${endpointId}/deliveries?${page}`, key)).deliveries),
	};
}

/** One user a round, so that no plan's limit is met.
 * @param {string} url
 * @param {string} dataDir
 */
async function createKey(url, dataDir) {
	const operator = (await readFile(path.join(dataDir, 'operator-token'), 'utf8')).trim();
	const email = `crash-${Date.now()}-${Math.random()}@localhost`;
	const bearer = (/** @type {string} */ token) => ({authorization: `Bearer ${token}`});
	const user = await call('POST', `${url}/users`, bearer(operator), {name: 'crash', email});
	const {token} = await call('POST', `${url}/users/${user.id}/tokens`, bearer(operator));
	return (await call('POST', `${url}/inboxes/keys`, bearer(token))).key;
}

/**
 * @param {(query: string) => Promise<any[]>} fetchPage
 * @returns {Promise<any[]>}
 */
async function allRows(fetchPage) {
	const rows = [];
	for (let page = 1; ; page++) {
		const found = await fetchPage(`limit=100&page=${page}`);
		rows.push(...found);
		if (found.length < 100) {
			return rows;
		}
	}
}

/**
 * @param {string} method
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
async function call(method, url, headers, body) {
	const response = await fetch(url, {
		method,
		headers: {...headers, ...(body !== undefined && {'content-type': 'application/json'})},
		...(body !== undefined && {body: JSON.stringify(body)}),
	});
	if (!response.ok) {
		throw new Error(`${method} ${url} answered ${response.status}: ${await response.text()}`);
	}

	return response.json();
}

/** @param {NodeJS.ReadableStream | null} stream */
async function firstLine(stream) {
	let text = '';
	for await (const chunk of stream ?? []) {
		text += chunk;
		if (text.includes('\n')) {
			break;
		}
	}

	return text;
}
