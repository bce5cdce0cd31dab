import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {execa} from 'execa';

/** @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon */

/** Timeout of the start; a daemon that is not ready is killed. */
export const startMs = 60_000;

const bin = fileURLToPath(new URL('../../../bin/tinbox.js', import.meta.url));

/**
 * Starts the built daemon with a home.
 * @param {string} home
 * @param {readonly string[]} flags
 * @returns {Promise<CrashedDaemon>}
 */
export function startDaemon(home, ...flags) {
	return start([bin, 'daemon', 'run', '--json', '--smtp-port', '0', '--http-port', '0', ...flags], home);
}

/**
 * Bundles a daemon that can have defects: one on files, which also crashes on request, or a node on PostgreSQL.
 * @param {'crash-daemon' | 'crash-node'} name
 * @returns {Promise<typeof startDaemon>}
 */
export async function buildFaulty(name) {
	const outfile = fileURLToPath(new URL(`.build/${name}.js`, import.meta.url));
	await build({
		entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
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
	return (home, ...flags) => start([outfile, path.join(home, 'data'), ...flags], home);
}

/**
 * @param {readonly string[]} args
 * @param {string} home
 * @returns {Promise<CrashedDaemon>}
 */
async function start(args, home) {
	const child = execa(process.execPath, args, {
		env: {TINBOX_HOME: home},
		buffer: {stdout: false},
		reject: false,
	});
	const timer = setTimeout(() => child.kill('SIGKILL'), startMs);
	const line = await firstLine(child.stdout);
	clearTimeout(timer);
	if (line === '') {
		throw new Error((await child).stderr);
	}

	const {url, smtp, pid, data_dir: dataDir} = JSON.parse(line);
	const ask = (/** @type {string} */ method, /** @type {string} */ path, /** @type {string} */ key) =>
		call(method, url + path, {'x-api-key': key});
	return {
		smtp,
		pid,
		async kill() {
			const wasThere = child.kill('SIGKILL');
			const {stderr} = await child;
			return wasThere ? undefined : stderr;
		},
		async killAt(step) {
			child.stdin.write(`${step}\n`);
			await child;
		},
		async createInbox(known, fields = {}) {
			const key = known ?? (await createKey(url, dataDir));
			const {id, email_address: address} = await call('POST', `${url}/inboxes`, {'x-api-key': key}, fields);
			return {id, address, key};
		},
		deleteInbox: ({id, key}) => ask('DELETE', `/inboxes/${id}`, key),
		isInstalled: ({id, key}) =>
			ask('GET', `/inboxes/${id}`, key).then(
				() => true,
				() => false,
			),
		evicted: async ({id, key}) => (await ask('GET', `/inboxes/${id}`, key)).evicted,
		messages: ({id, key}, subject = '') =>
			allRows(page => ask('GET', `/inboxes/${id}/messages?q=${encodeURIComponent(subject)}&${page}`, key)),
		wait: ({id, key}, seconds) => ask('GET', `/inboxes/${id}/messages?limit=1&wait=${seconds}`, key),
		deleteMessage: ({id, key}, messageId) => ask('DELETE', `/inboxes/${id}/messages/${messageId}`, key),
		send: async (path, body, headers) => {
			const response = await fetch(new URL(path, url), {
				method: 'POST',
				headers: {...headers, 'content-type': 'application/json'},
				body: JSON.stringify(body),
			});
			const answer = await response.text();
			return response.ok ? answer : undefined;
		},
		createEndpoint: async ({key}, receiver) =>
			(await call('POST', `${url}/webhooks`, {'x-api-key': key}, {url: receiver})).id,
		createFault: ({id, key}, fault) => call('POST', `${url}/inboxes/${id}/faults`, {'x-api-key': key}, fault),
		faults: async ({id, key}) => (await ask('GET', `/inboxes/${id}/faults`, key)).faults,
		deliveries: ({key}, endpointId, status) =>
			allRows(async page => {
				const filter = status === undefined ? '' : `&status=${status}`;
				return (await ask('GET', `/webhooks/${endpointId}/deliveries?${page}${filter}`, key)).deliveries;
			}),
	};
}

/** Creates a user with a key. Each round uses a new user, so that quotas are not reached.
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

	return response.status === 204 ? undefined : response.json();
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
