import {access, mkdir, readdir, rm, writeFile} from 'node:fs/promises';
import net from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {execa} from 'execa';
import {end, host, temporary} from './start.js';

/**
 * @typedef {import('./start.js').Server} Server
 *
 * @typedef {object} Place ports and folder of a peer
 * @property {number} port SMTP port
 * @property {number} httpPort
 * @property {string} folder
 *
 * @typedef {Server & {httpPort: number}} PeerServer
 * @typedef {(...flags: readonly string[]) => Promise<PeerServer>} StartPeer
 *
 * @typedef {object} Peer another test mail server, which by default stores mail on disk
 * @property {string} name
 * @property {readonly string[]} recipients
 * @property {() => Promise<string>} find returns its program; rejects if it cannot be found or installed
 * @property {(program: string, place: Place, flags: readonly string[]) => import('execa').ResultPromise} run
 * @property {(place: Place) => Promise<number>} stored number of stored mails
 * @property {boolean} [isHttpAlone] accepts mail only by HTTP
 */

const recipients = ['someone@tinbox.test'];

/** @type {readonly Peer[]} */
const peers = [
	{
		name: 'MailDev 3',
		recipients,
		stored: ({folder}) => countFiles(folder, '.eml'),
		find: () => installed('maildev', '3.0.0', 'dist/bin/maildev.js', maildevOverrides),
		run: (program, {port, folder}) =>
			execa(
				process.execPath,
				[program, '--smtp', String(port), '--ip', host, '--disable-web', '--silent', '--mail-directory', folder],
				{stdio: 'ignore'},
			),
	},
	{
		name: 'Mailpit',
		recipients,
		async stored({httpPort}) {
			const response = await fetch(`http://${host}:${httpPort}/api/v1/messages?limit=1`);
			return /** @type {{total: number}} */ (await response.json()).total;
		},
		find: () => findGo('mailpit', 'github.com/axllent/mailpit'),
		run: (program, {port, httpPort, folder}, flags) =>
			execa(
				program,
				[
					...flags,
					...['--smtp', `${host}:${port}`, '--listen', `${host}:${httpPort}`, '--smtp-disable-rdns', '--quiet'],
					...['--database', path.join(folder, 'mailpit.db'), '--max', '0'],
				],
				{stdio: 'ignore'},
			),
	},
	{
		name: 'Inbucket',
		// Inbucket rewrites the index of a mailbox for each mail, so one mailbox would become slower and slower.
		recipients: Array.from({length: 100}, (_, index) => `someone-${index}@tinbox.test`),
		stored: ({folder}) => countFiles(folder, '.raw'),
		find: () => findGo('inbucket', 'github.com/inbucket/inbucket/v3/cmd/inbucket'),
		run: (program, {port, httpPort, folder}) =>
			execa(program, [], {
				stdio: 'ignore',
				cwd: folder,
				env: {
					INBUCKET_LOGLEVEL: 'error',
					INBUCKET_SMTP_ADDR: `${host}:${port}`,
					INBUCKET_WEB_ADDR: `${host}:${httpPort}`,
					INBUCKET_POP3_ADDR: `${host}:0`,
					INBUCKET_STORAGE_TYPE: 'file',
					INBUCKET_STORAGE_PARAMS: `path:${folder}`,
					INBUCKET_STORAGE_MAILBOXMSGCAP: '0',
				},
			}),
	},
];

/** Cache of installed peers. */
const installedPeers = path.join(tmpdir(), 'tinbox-bench-peers');

/**
 * Functions that start the peers, by name; undefined for peers that are not found.
 * @returns {Promise<Map<string, StartPeer | undefined>>}
 */
export async function findPeers() {
	const found = new Map();
	for (const peer of peers) {
		found.set(peer.name, await find(peer));
	}

	return found;
}

/** Accepts mail by the APIs of SES and stores it in memory. @type {Peer} */
const sesLocal = {
	name: 'aws-ses-v2-local',
	recipients,
	isHttpAlone: true,
	async stored({httpPort}) {
		const response = await fetch(`http://${host}:${httpPort}/store`);
		return /** @type {{emails: unknown[]}} */ (await response.json()).emails.length;
	},
	find: () => installed('aws-ses-v2-local', '2.10.2', 'dist/cli.js'),
	run: (program, {httpPort}) =>
		execa(process.execPath, [program, '--host', host, '--port', String(httpPort)], {stdio: 'ignore'}),
};

/** Function that starts aws-ses-v2-local; undefined if it is not found. */
export function findSesLocal() {
	return find(sesLocal);
}

/** Function that starts Mailpit with flags; undefined if it is not found. */
export async function findMailpit() {
	const mailpit = peers.find(({name}) => name === 'Mailpit');
	return mailpit && find(mailpit);
}

/**
 * @param {Peer} peer
 * @returns {Promise<StartPeer | undefined>}
 */
async function find(peer) {
	const program = await peer.find().catch(() => undefined);
	return program === undefined ? undefined : (...flags) => start(peer, program, flags);
}

/**
 * @param {Peer} peer
 * @param {string} program
 * @param {readonly string[]} flags
 * @returns {Promise<PeerServer>}
 */
async function start({name, recipients, run, stored, isHttpAlone}, program, flags) {
	const folder = await temporary(name.toLowerCase().replace(' ', '-'));
	const port = await freePort();
	const place = {port, httpPort: await freePort(), folder};
	const child = run(program, place, flags);
	// The exit code only matters until the server is ready.
	child.catch(() => {});
	await untilListening(isHttpAlone ? place.httpPort : port, child);
	return {
		name,
		pid: child.pid ?? 0,
		smtp: {host, port},
		httpPort: place.httpPort,
		recipients,
		stored: () => stored(place),
		async stop() {
			await end(child);
			await rm(folder, {recursive: true, force: true});
		},
	};
}

/**
 * The program on the `PATH`, or one that the Go toolchain installs.
 * @param {string} name
 * @param {string} module
 */
async function findGo(name, module) {
	const isInstalled = (/** @type {string} */ program) =>
		execa(program, ['--help']).then(
			() => true,
			error => error.code !== 'ENOENT',
		);
	if (await isInstalled(name)) {
		return name;
	}

	const program = path.join(installedPeers, name);
	if (!(await isInstalled(program))) {
		await execa('go', ['install', `${module}@latest`], {env: {GOBIN: installedPeers}});
	}

	return program;
}

/** Replacements for packages of MailDev that are not in every registry. */
const maildevOverrides = {
	'@zone-eu/mailsplit': '5.4.19',
	'encoding-japanese': '2.4.0',
	libqp: '2.1.1',
	mailparser: '3.9.31',
};

/**
 * A program of an npm package, which is installed if necessary.
 * @param {string} name
 * @param {string} version
 * @param {string} file of the package
 * @param {Readonly<Record<string, string>>} [overrides]
 */
async function installed(name, version, file, overrides = {}) {
	const folder = path.join(installedPeers, `${name}-${version}`);
	const program = path.join(folder, 'node_modules', name, file);
	const isInstalled = await access(program).then(
		() => true,
		() => false,
	);
	if (!isInstalled) {
		await mkdir(folder, {recursive: true});
		await writeFile(path.join(folder, 'package.json'), JSON.stringify({private: true, overrides}));
		await execa('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', `${name}@${version}`], {cwd: folder});
	}

	return program;
}

/**
 * @param {string} folder
 * @param {string} extension
 */
async function countFiles(folder, extension) {
	const files = await readdir(folder, {recursive: true});
	return files.filter(file => file.endsWith(extension)).length;
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
			// With implicit TLS there is no greeting in plain text.
			socket.setTimeout(500, () => socket.destroy());
		});
		if (answered) {
			return;
		}

		await new Promise(resolve => setTimeout(resolve, 100));
	}

	throw new Error(`Nothing answers on port ${port}.`);
}
