import {randomUUID} from 'node:crypto';
import {mkdir, mkdtemp, readFile, rm, writeFile} from 'node:fs/promises';
import net from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {execa} from 'execa';

/**
 * @typedef {object} Server a mail server under test
 * @property {string} name
 * @property {number} pid
 * @property {{host: string, port: number}} smtp
 * @property {string} to an address that it takes mail for
 * @property {() => Promise<void>} stop ends it and removes its files
 *
 * @typedef {Server & {url: string, key: string, inboxId: string, home: string, dataDir: string}} Tinbox
 */

const host = '127.0.0.1';

/** @param {string} name */
const temporary = name => mkdtemp(path.join(tmpdir(), `tinbox-bench-${name}-`));

/** @returns {Promise<Server>} */
export async function startBareSmtp() {
	const {pid, port, stop} = await startBare('bare-smtp.js');
	return {name: 'bare smtp-server', pid, smtp: {host, port}, to: 'someone@tinbox.test', stop};
}

/** A bare node:http that holds every request but `/now`. */
export function startBareHttp() {
	return startBare('bare-http.js');
}

/** @param {string} file of this folder, a server that prints its port */
async function startBare(file) {
	const child = execa(process.execPath, [fileURLToPath(new URL(file, import.meta.url))], {buffer: false});
	/** @type {{port: number}} */
	const {port} = JSON.parse(await firstLine(child.stdout));
	return {pid: child.pid ?? 0, port, stop: () => end(child)};
}

/**
 * MailDev 3 with file storage, installed into a temporary folder that later runs find again.
 * @returns {Promise<Server>}
 */
export async function startMaildev() {
	const program = await installMaildev();
	const mails = await temporary('maildev');
	const port = await freePort();
	const child = execa(
		process.execPath,
		[program, '--smtp', String(port), '--ip', host, '--disable-web', '--silent', '--mail-directory', mails],
		{stdio: 'ignore'},
	);
	await untilListening(port, child);
	return {
		name: 'MailDev 3',
		pid: child.pid ?? 0,
		smtp: {host, port},
		to: 'someone@tinbox.test',
		async stop() {
			await end(child);
			await rm(mails, {recursive: true, force: true});
		},
	};
}

/**
 * The built tinbox in a home of its own, with one inbox.
 * @param {string} [home] of an earlier run, which is kept
 * @returns {Promise<Tinbox>}
 */
export async function startTinbox(home) {
	const folder = home ?? (await temporary('tinbox'));
	const bin = fileURLToPath(new URL('../../../bin/tinbox.js', import.meta.url));
	const child = execa(
		process.execPath,
		[bin, 'daemon', 'run', '--json', '--host', host, '--smtp-port', '0', '--http-port', '0'],
		{env: {TINBOX_HOME: folder}, stderr: 'ignore', buffer: false},
	);
	const state = JSON.parse(await firstLine(child.stdout));
	const {key, inbox} = await createAccount(state.url, state.data_dir);
	return {
		name: 'tinbox',
		pid: state.pid,
		smtp: state.smtp,
		to: inbox.email_address,
		url: state.url,
		key,
		inboxId: inbox.id,
		home: folder,
		dataDir: state.data_dir,
		async stop() {
			await end(child);
			if (home === undefined) {
				await rm(folder, {recursive: true, force: true});
			}
		},
	};
}

/**
 * A user of the bench with a key and an inbox.
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

/** MailDev pins packages that not every registry has; these stand in. */
const overrides = {
	'@zone-eu/mailsplit': '5.4.19',
	'encoding-japanese': '2.4.0',
	libqp: '2.1.1',
	mailparser: '3.9.31',
};

/** @returns {Promise<string>} the path of its program */
async function installMaildev() {
	const folder = path.join(tmpdir(), 'tinbox-bench-peers', 'maildev-3.0.0');
	const program = path.join(folder, 'node_modules/maildev/dist/bin/maildev.js');
	const installed = await readFile(program).then(
		() => true,
		() => false,
	);
	if (!installed) {
		await mkdir(folder, {recursive: true});
		await writeFile(path.join(folder, 'package.json'), JSON.stringify({private: true, overrides}));
		await execa('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', 'maildev@3.0.0'], {cwd: folder});
	}

	return program;
}

/** @returns {Promise<number>} */
function freePort() {
	return new Promise((resolve, reject) => {
		const probe = net.createServer().on('error', reject);
		probe.listen(0, host, () => {
			const address = probe.address();
			probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
		});
	});
}

/**
 * @param {number} port
 * @param {import('execa').ResultPromise} child
 */
async function untilListening(port, child) {
	for (let tries = 0; tries < 100 && child.exitCode === null; tries++) {
		const answered = await new Promise(resolve => {
			const socket = net.connect({host, port}, () => resolve(true)).on('error', () => resolve(false));
			socket.on('close', () => resolve(false)).on('data', () => socket.destroy());
		});
		if (answered) {
			return;
		}

		await new Promise(resolve => setTimeout(resolve, 100));
	}

	throw new Error(`Nothing answers on port ${port}.`);
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
async function end(child) {
	child.kill('SIGTERM');
	await child.catch(() => {});
}
