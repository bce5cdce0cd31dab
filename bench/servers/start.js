import {randomUUID} from 'node:crypto';
import {existsSync} from 'node:fs';
import {access, mkdtemp, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';

/**
 * @typedef {object} Server a mail server under test
 * @property {string} name
 * @property {number} pid
 * @property {{host: string, port: number}} smtp
 * @property {readonly string[]} recipients accepted addresses
 * @property {(() => Promise<number>) | undefined} stored number of stored mails; undefined if it stores none
 * @property {() => Promise<void>} stop stops it and removes its files
 *
 * @typedef {{to: string, url: string, key: string, inboxId: string, home: string, dataDir: string}} Account
 * @typedef {{host: string, port: number}} Listener
 * @typedef {Server & Account & {smtps: Listener | null, login: Login}} Tinbox
 * @typedef {import('../../test/helpers/smtp-session.js').Login} Login
 *
 * @typedef {object} Build
 * @property {string} name
 * @property {string} bin path of bin/tinbox.js
 */

/** The build in this repository. @type {Build} */
export const thisBuild = {name: 'tinbox', bin: fileURLToPath(new URL('../../bin/tinbox.js', import.meta.url))};

/**
 * Another build, to compare with.
 * @param {string} folder
 * @returns {Promise<Build>}
 */
export async function otherBuild(folder) {
	for (const file of ['bin/tinbox.js', 'dist/main.js']) {
		await access(path.join(folder, file)).catch(() => {
			throw new Error(`${folder} is no built tinbox: it has no ${file}.`);
		});
	}

	return {name: 'the other build', bin: path.resolve(folder, 'bin/tinbox.js')};
}

export const host = '127.0.0.1';

/** @param {string} name */
export const temporary = name => mkdtemp(path.join(tmpdir(), `tinbox-bench-${name}-`));

/** @returns {Promise<Server>} */
export async function startBareSmtp() {
	const {pid, port, stop} = await startBare('bare-smtp.js');
	const recipients = ['someone@tinbox.test'];
	return {name: 'bare smtp-server', pid, smtp: {host, port}, recipients, stored: undefined, stop};
}

/** Starts a bare node:http server that keeps every request open except `/now`. */
export function startBareHttp() {
	return startBare('bare-http.js');
}

/** @param {string} file server in this folder that prints its port */
async function startBare(file) {
	const child = execa(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {buffer: false});
	/** @type {{port: number}} */
	const {port} = JSON.parse(await firstLine(child.stdout));
	return {pid: child.pid ?? 0, port, stop: () => end(child)};
}

/**
 * Starts a daemon with one inbox.
 * @param {{build?: Build, home?: string, flags?: readonly string[]}} [options] a given home is not removed
 * @returns {Promise<Tinbox>}
 */
export async function startTinbox({build: {name, bin} = thisBuild, home, flags = []} = {}) {
	const folder = home ?? (await temporary('tinbox'));
	const {child, state} = await runDaemon(bin, folder, ...flags);
	const {key, inbox} = await createAccount(state.url, state.data_dir);
	return {
		name,
		pid: state.pid,
		smtp: state.smtp,
		smtps: state.smtps,
		login: {user: inbox.smtp?.username, password: inbox.smtp?.password},
		recipients: [inbox.email_address],
		to: inbox.email_address,
		url: state.url,
		key,
		inboxId: inbox.id,
		home: folder,
		dataDir: state.data_dir,
		async stored() {
			const response = await fetch(`${state.url}/inboxes/${inbox.id}`, {headers: {'x-api-key': key}});
			const {message_count: count} = /** @type {{message_count: number}} */ (await response.json());
			return count;
		},
		async stop() {
			await end(child);
			if (home === undefined) {
				await rm(folder, {recursive: true, force: true});
			}
		},
	};
}

/**
 * Starts a daemon on free ports and waits until it is ready.
 * @param {string} bin
 * @param {string} home
 * @param {readonly string[]} flags
 */
export async function runDaemon(bin, home, ...flags) {
	const ports = ['--host', host, '--smtp-port', '0', '--http-port', '0'];
	const child = execa(process.execPath, [bin, 'daemon', 'run', '--json', ...ports, ...flags], {
		env: {TINBOX_HOME: home},
		stderr: 'ignore',
		buffer: false,
	});
	return {child, state: JSON.parse(await firstLine(child.stdout))};
}

/**
 * The certificate files of a daemon. They are created in the background after the start, within 10 s.
 * @param {string} dataDir
 */
export async function certificateOf(dataDir) {
	const [cert, key] = [path.join(dataDir, 'tls', 'cert.pem'), path.join(dataDir, 'tls', 'key.pem')];
	for (let tries = 0; tries < 100 && !(existsSync(cert) && existsSync(key)); tries++) {
		await sleep(100);
	}

	return {cert, key};
}

/**
 * Creates a user with a key and an inbox.
 * @param {string} url
 * @param {string} dataDir
 */
export async function createAccount(url, dataDir) {
	const operator = (await readFile(path.join(dataDir, 'operator-token'), 'utf8')).trim();
	const email = `bench-${randomUUID()}@localhost`;
	const bearer = (/** @type {string} */ token) => ({authorization: `Bearer ${token}`});
	const user = await post(`${url}/users`, bearer(operator), {name: 'bench', email, plan: 'business'});
	const {token} = await post(`${url}/users/${user.id}/tokens`, bearer(operator), {});
	const {key} = await post(`${url}/inboxes/keys`, bearer(token), {name: 'bench'});
	return {key, inbox: await post(`${url}/inboxes`, {'x-api-key': key}, {})};
}

/**
 * @param {string} url
 * @param {Record<string, string>} headers
 * @param {unknown} body
 * @returns {Promise<any>}
 */
export async function post(url, headers, body) {
	const response = await fetch(url, {
		method: 'POST',
		headers: {...headers, 'content-type': 'application/json'},
		body: JSON.stringify(body),
	});
	if (!response.ok) {
		throw new Error(`POST ${url} answered ${response.status}: ${await response.text()}`);
	}

	return response.json();
}

/**
 * @param {NodeJS.ReadableStream | null} stream
 * @returns {Promise<string>}
 */
async function firstLine(stream) {
	let text = '';
	for await (const chunk of stream ?? []) {
		text += chunk;
		if (text.includes('\n')) {
			break;
		}
	}

	return text.slice(0, text.indexOf('\n'));
}

/** @param {import('execa').ResultPromise} child */
export async function end(child) {
	child.kill('SIGTERM');
	await child.catch(() => {});
}

/**
 * Waits, at most 10 s, until a server has stored every acknowledged mail. Throws otherwise.
 * @param {Server} server
 * @param {number} sent
 */
export async function assertHolds({name, stored}, sent) {
	let count = await stored?.();
	for (let tries = 0; tries < 100 && count !== undefined && count < sent; tries++) {
		await sleep(100);
		count = await stored?.();
	}

	if (count !== undefined && count !== sent) {
		throw new Error(`${name} acknowledged ${sent} mails and has ${count}.`);
	}
}
