import {randomBytes} from 'node:crypto';
import {mkdtemp, open, readdir, readFile, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import {startDaemon} from '../../test/slow/crash/daemons.js';
import {Cluster, whyNoPostgres} from '../../test/helpers/postgres-cluster.js';
import {mailOf, sendReused} from '../load/smtp-load.js';
import {atRest, cpuMs} from '../process.js';
import {median} from '../statistics.js';

const mails = 2000;
const notices = 2000;
const listeners = 20;
const reads = 1000;

/** Pause between two notices in `notices.ts`. */
const noticePauseMs = 3;

/**
 * @typedef {object} World
 * @property {Cluster} cluster
 * @property {Awaited<ReturnType<typeof startDaemon>>} node
 * @property {import('../../test/slow/crash/kill-loop.js').Inbox} inbox
 * @property {postgres.Sql} sql
 */

/**
 * Measures the figures of the simulation with a server and a node on this machine.
 * @returns {Promise<import('./simulate.js').Figures>}
 */
export async function measureFigures() {
	const why = whyNoPostgres();
	if (why !== undefined) {
		throw new Error(why);
	}

	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-scale-'));
	const cluster = new Cluster({isDurable: true});
	try {
		await cluster.create();
		const url = cluster.url(await cluster.createDatabase());
		const node = await startDaemon(home, '--store', url);
		const sql = postgres(url, {max: 1, onnotice: () => {}});
		try {
			const world = {cluster, node, sql, inbox: await node.createInbox()};
			return {
				...(await mailFigures(world)),
				...(await noticeFigures(world, url)),
				readCpuMs: await readCpuMs(world),
				syncMs: await syncMs(sql),
				walMegabytesPerSecond: await writeRate(cluster),
			};
		} finally {
			await sql.end();
			await node.kill();
		}
	} finally {
		await cluster.remove();
		await rm(home, {recursive: true, force: true});
	}
}

/**
 * Single mails have one commit each, mails of many sessions share commits. The difference is the cost of a commit.
 * @param {World} world
 */
async function mailFigures(world) {
	await send(world, {bytes: 2048, sessions: 20});
	const alone = await send(world, {bytes: 2048, sessions: 1});
	const shared = await send(world, {bytes: 2048, sessions: 100});
	const large = await send(world, {bytes: 16_384, sessions: 100});
	const batchCpuMs = (alone.serverCpu - shared.serverCpu) / (alone.commits - shared.commits);
	const bytesOfByte = (large.walBytes - shared.walBytes) / (16_384 - 2048);
	return {
		nodeCpuMs: shared.nodeCpu,
		batchCpuMs,
		mailCpuMs: shared.serverCpu - batchCpuMs * shared.commits,
		walBytes: Math.round(shared.walBytes - bytesOfByte * 2048),
		sourceBytes: Math.round(bytesOfByte * 2048),
	};
}

/**
 * Measures the cost of a mail.
 * @param {World} world
 * @param {{bytes: number, sessions: number}} load
 */
async function send({cluster, node, inbox, sql}, {bytes, sessions}) {
	const spent = async () => ({
		nodeCpu: await cpuMs(node.pid),
		serverCpu: await serverCpuMs(cluster),
		walBytes: await walBytes(sql),
		commits: await commitsOf(sql),
	});
	const before = await spent();
	await sendReused(node.smtp, {mail: mailOf(bytes), recipients: [inbox.address], mails, sessions});
	await atRest(node.pid);
	const after = await spent();
	return {
		nodeCpu: (after.nodeCpu - before.nodeCpu) / mails,
		serverCpu: (after.serverCpu - before.serverCpu) / mails,
		walBytes: (after.walBytes - before.walBytes) / mails,
		commits: (after.commits - before.commits) / mails,
	};
}

/** Number of commits, from their notices: each commit sends one. @param {postgres.Sql} sql */
async function commitsOf(sql) {
	const [row] = await sql`select count(*)::int as commits from tinbox.events`;
	return Number(row?.['commits']);
}

/**
 * @param {World} world
 * @param {string} url
 */
async function noticeFigures({cluster, node, sql}, url) {
	const cost = async () => {
		const [server, heard] = [await serverCpuMs(cluster), await cpuMs(node.pid)];
		await sql`set synchronous_commit = off`;
		for (let sent = 0; sent < notices; sent++) {
			await sql`select pg_notify('tinbox', 'another node,inbox of nobody')`;
		}

		await sql`reset synchronous_commit`;
		await atRest(node.pid);
		return {
			server: ((await serverCpuMs(cluster)) - server) / notices,
			heard: ((await cpuMs(node.pid)) - heard) / notices,
		};
	};
	const few = await cost();
	const others = Array.from({length: listeners}, () => postgres(url, {max: 1, onnotice: () => {}}));
	await Promise.all(others.map(other => other.listen('tinbox', () => {})));
	const many = await cost();
	await Promise.all(others.map(other => other.end()));
	const listenerCpuMs = (many.server - few.server) / listeners;
	return {noticePauseMs, noticeCpuMs: few.server - listenerCpuMs, listenerCpuMs, heardCpuMs: few.heard};
}

/** CPU time of the reads of a wait. @param {World} world */
async function readCpuMs({cluster, node}) {
	const inbox = await node.createInbox();
	await sendReused(node.smtp, {mail: mailOf(2048), recipients: [inbox.address], mails: 1, sessions: 1});
	const before = await serverCpuMs(cluster);
	for (let read = 0; read < reads; read++) {
		await node.messages(inbox);
	}

	return ((await serverCpuMs(cluster)) - before) / reads;
}

/** Time of a sync. @param {postgres.Sql} sql */
async function syncMs(sql) {
	await sql`create table scratch (number int)`;
	const times = async () => {
		/** @type {number[]} */
		const found = [];
		for (let number = 0; number < 500; number++) {
			const startedAt = performance.now();
			await sql`insert into scratch values (${number})`;
			found.push(performance.now() - startedAt);
		}

		return found;
	};
	const durable = median(await times());
	await sql`set synchronous_commit = off`;
	return durable - median(await times());
}

/** Write rate of the disk of the server. @param {Cluster} cluster */
async function writeRate({folder}) {
	const file = path.join(folder, 'scratch');
	const piece = randomBytes(1024 * 1024);
	const handle = await open(file, 'w');
	const startedAt = performance.now();
	for (let megabytes = 0; megabytes < 128; megabytes++) {
		await handle.write(piece);
	}

	await handle.sync();
	await handle.close();
	const seconds = (performance.now() - startedAt) / 1000;
	await rm(file);
	return 128 / seconds;
}

/** Bytes in the write-ahead log since the server was created. @param {postgres.Sql} sql */
async function walBytes(sql) {
	const [row] = await sql`select (pg_current_wal_lsn() - '0/0')::bigint as bytes`;
	return Number(row?.['bytes']);
}

/** CPU time of all processes of the server, including those that have ended. @param {Cluster} cluster */
async function serverCpuMs({pid = 0}) {
	const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
	const parents = await Promise.all(
		pids.map(async each => {
			const stat = await readFile(`/proc/${each}/stat`, 'utf8').catch(() => '');
			return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
		}),
	);
	const times = await Promise.all([pid, ...pids.filter((_, index) => parents[index] === pid).map(Number)].map(cpuMs));
	// A process may end between the two reads.
	return times.reduce((sum, time) => sum + (Number.isNaN(time) ? 0 : time), 0);
}
