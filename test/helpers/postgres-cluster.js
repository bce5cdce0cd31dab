import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chownSync, existsSync, mkdtempSync, readdirSync, statfsSync} from 'node:fs';
import net from 'node:net';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import postgres from 'postgres';

/** Timeout for the first answer. */
const startTimeoutMs = 60_000;

/** Folder in memory, if available: creating a database copies hundreds of small files. */
const memory = {folder: '/dev/shm', bytes: 2 ** 31};

/**
 * Stops the server and removes its files when its input closes, however its owner ends. It runs in another session, so that
 * signals to the owner's process group do not reach it.
 */
const keeper = 'cat >/dev/null; "$1" stop --pgdata="$2/data" --mode=immediate >/dev/null 2>&1; rm -rf "$2"';

/** Reason why PostgreSQL is not available; undefined if it is. */
export function whyNoPostgres() {
	if (!binaries()) {
		return 'PostgreSQL is not installed';
	}

	return process.getuid?.() === 0 && !serverUser()
		? 'PostgreSQL does not run as root, and there is no other user'
		: undefined;
}

/**
 * A PostgreSQL server in a temporary folder, on a free loopback port. It ends with this process at the latest, accepts every
 * user, and is not durable unless `isDurable` is set.
 */
export class Cluster {
	/** @type {string} */
	folder;
	/** @type {string} */
	data;
	port = 0;
	/** @type {import('node:child_process').ChildProcess | undefined} */
	#keeper;
	/** @type {import('node:child_process').ChildProcess | undefined} */
	#server;
	/** @type {Readonly<Record<string, string>>} */
	#settings;
	#databases = 0;

	/** @param {{isDurable?: boolean, settings?: Readonly<Record<string, string>>}} [options] */
	constructor({isDurable = false, settings = {}} = {}) {
		this.folder = mkdtempSync(path.join(isDurable ? tmpdir() : fastFolder(), 'tinbox-postgres-'));
		this.data = path.join(this.folder, 'data');
		const nonDurable = {fsync: 'off', full_page_writes: 'off'};
		this.#settings = {max_connections: '200', ...(isDurable ? {} : nonDurable), ...settings};
	}

	/** Process id of the server; undefined while it is stopped. */
	get pid() {
		return this.#server?.pid;
	}

	/** Creates the files and starts the server. With `standbyOf`, it is a standby of that cluster (`pg_basebackup`). */
	async create({standbyOf = /** @type {Cluster | undefined} */ (undefined)} = {}) {
		const user = serverUser();
		if (user) {
			chownSync(this.folder, user.uid, user.gid);
		}

		this.#keeper = this.#keep();
		const creation = standbyOf
			? this.#spawn('pg_basebackup', [
					'-D',
					this.data,
					'-R',
					'-X',
					'stream',
					'-c',
					'fast',
					'-d',
					standbyOf.url('postgres'),
				])
			: this.#spawn('initdb', [
					'-D',
					this.data,
					'-A',
					'trust',
					'-U',
					'postgres',
					'-E',
					'UTF8',
					'--locale=C',
					'--no-sync',
				]);
		let stderr = '';
		creation.stderr?.on('data', chunk => {
			stderr += chunk;
		});
		const [code] = await once(creation, 'exit');
		if (code !== 0) {
			throw new Error(`PostgreSQL did not create the cluster: ${stderr}`);
		}

		this.port = await freePort();
		await this.start();
	}

	/** Starts the server, also after a stop or a kill, and resolves when it answers. */
	async start() {
		const settings = {...this.#settings, port: String(this.port), unix_socket_directories: this.folder};
		const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
		let stderr = '';
		const run = () => {
			const server = this.#spawn('postgres', ['-D', this.data, ...flags]);
			server.stderr?.on('data', chunk => {
				stderr = (stderr + chunk).slice(-10_000);
			});
			this.#server = server;
			return server;
		};
		let server = run();
		const giveUpAt = Date.now() + startTimeoutMs;
		while (!(await this.#isReady())) {
			const hasEnded = server.exitCode !== null;
			// Processes of a killed server end a moment after it.
			const isTooEarly = hasEnded && stderr.includes('shared memory block');
			if ((hasEnded && !isTooEarly) || Date.now() > giveUpAt) {
				throw new Error(`PostgreSQL did not start: ${stderr}`);
			}

			await sleep(50);
			server = hasEnded ? run() : server;
		}
	}

	/**
	 * Stops the server: `SIGINT` ends its sessions, `SIGQUIT` is like a crash, `SIGKILL` like a crash of the postmaster.
	 * @param {'SIGINT' | 'SIGQUIT' | 'SIGKILL'} [signal]
	 */
	async stop(signal = 'SIGINT') {
		const server = this.#server;
		this.#server = undefined;
		if (server && server.exitCode === null && server.signalCode === null) {
			const exit = once(server, 'exit');
			server.kill(signal);
			await exit;
		}
	}

	async remove() {
		await this.stop('SIGQUIT');
		const keeper = this.#keeper ?? this.#keep();
		const exit = once(keeper, 'exit');
		keeper.ref();
		keeper.stdin?.end();
		await exit;
	}

	/** @param {string} database */
	url(database) {
		return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
	}

	/** Creates an empty database and resolves to its name. */
	async createDatabase() {
		const name = `tinbox_${++this.#databases}`;
		await askDatabase(this.url('postgres'), `create database ${name}`);
		return name;
	}

	/** @param {string} name */
	async dropDatabase(name) {
		await askDatabase(this.url('postgres'), `drop database if exists ${name} with (force)`);
	}

	async #isReady() {
		return askDatabase(this.url('postgres'), 'select 1').then(
			() => true,
			() => false,
		);
	}

	/**
	 * @param {string} program
	 * @param {readonly string[]} args
	 */
	#spawn(program, args) {
		return spawn(fileOf(program), args, {stdio: ['ignore', 'ignore', 'pipe'], cwd: this.folder, ...serverUser()});
	}

	#keep() {
		const child = spawn('sh', ['-c', keeper, 'sh', fileOf('pg_ctl'), this.folder], {
			stdio: ['pipe', 'ignore', 'ignore'],
			cwd: '/',
			detached: true,
			...serverUser(),
		});
		child.unref();
		/** @type {import('node:net').Socket} */ (child.stdin).unref();
		return child;
	}
}

/**
 * Runs a statement on a new connection.
 * @param {string} url
 * @param {string} statement
 */
export async function askDatabase(url, statement) {
	const sql = postgres(url, {max: 1, connect_timeout: 5, backoff: false, fetch_types: false});
	try {
		return await sql.unsafe(statement);
	} finally {
		await sql.end({timeout: 1});
	}
}

/** Folder for the files of a server that need not be durable. */
function fastFolder() {
	try {
		const {bavail, bsize} = statfsSync(memory.folder);
		return bavail * bsize >= memory.bytes ? memory.folder : tmpdir();
	} catch {
		return tmpdir();
	}
}

/** @param {string} program */
function fileOf(program) {
	const file = path.join(binaries() ?? '', program);
	return existsSync(file) ? file : program;
}

/** Folder of the server programs: from `PATH`, or the newest one of Debian's packages. */
function binaries() {
	const debian = '/usr/lib/postgresql';
	const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
	return [
		...(process.env['PATH'] ?? '').split(path.delimiter),
		...versions.map(version => path.join(debian, version, 'bin')),
	].find(folder => existsSync(path.join(folder, 'initdb')));
}

/** User that runs the server if this process is root; undefined otherwise. */
function serverUser() {
	if (process.getuid?.() !== 0) {
		return undefined;
	}

	for (const name of ['postgres', 'nobody']) {
		try {
			const idOf = (/** @type {string} */ flag) => Number(execFileSync('id', [flag, name], {stdio: 'pipe'}));
			return {uid: idOf('-u'), gid: idOf('-g')};
		} catch {}
	}

	return undefined;
}

/** @returns {Promise<number>} */
async function freePort() {
	const server = net.createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const {port} = /** @type {net.AddressInfo} */ (server.address());
	server.close();
	await once(server, 'close');
	return port;
}
