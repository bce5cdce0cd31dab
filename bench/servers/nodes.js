import {readdir, readFile, rm} from 'node:fs/promises';
import path from 'node:path';
import {askDatabase, Cluster, whyNoPostgres} from '../../test/helpers/postgres-cluster.js';
import {cpuMs} from '../process.js';
import {startTinbox, temporary} from './start.js';

/** @typedef {import('./start.js').Tinbox} Tinbox */

/** A durable PostgreSQL server and nodes of tinbox on its databases. */
export class NodeCluster {
	server = new Cluster({isDurable: true});
	#home = '';
	/** @type {Tinbox[]} */
	#nodes = [];

	static async start() {
		const why = whyNoPostgres();
		if (why !== undefined) {
			throw new Error(why);
		}

		const cluster = new NodeCluster();
		cluster.#home = await temporary('nodes');
		await cluster.server.create();
		return cluster;
	}

	/** Creates an empty database and returns its URL. */
	async createDatabase() {
		return this.server.url(await this.server.createDatabase());
	}

	/**
	 * @param {string} url of its database
	 * @param {readonly string[]} flags
	 */
	async startNode(url, ...flags) {
		const keyFile = path.join(this.#home, `${path.basename(url)}.key`);
		const node = await startTinbox({flags: ['--store', url, '--store-key-file', keyFile, ...flags]});
		this.#nodes.push(node);
		return node;
	}

	/** Bytes in the write-ahead log since the server was created. */
	async walBytes() {
		const [row] = await askDatabase(this.server.url('postgres'), `select pg_current_wal_lsn() - '0/0' as bytes`);
		return Number(row?.['bytes']);
	}

	/** CPU time of all processes of the server, including those that have ended. */
	async serverCpuMs() {
		const server = this.server.pid ?? 0;
		const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
		const parents = await Promise.all(pids.map(parentOf));
		const own = pids.filter((_, index) => parents[index] === server).map(Number);
		const times = await Promise.all([server, ...own].map(cpuMs));
		// A process may end between the two reads.
		return times.reduce((sum, time) => sum + (Number.isNaN(time) ? 0 : time), 0);
	}

	async stop() {
		await Promise.all(this.#nodes.map(node => node.stop()));
		await this.server.remove();
		await rm(this.#home, {recursive: true, force: true});
	}
}

/** @param {string} pid */
async function parentOf(pid) {
	const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
	return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
