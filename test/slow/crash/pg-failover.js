import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {askDatabase, Cluster, whyNoPostgres} from '../../helpers/postgres-cluster.js';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {untilMore} from './kill-loop.js';

/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 * @typedef {import('./kill-loop.js').Inbox} Inbox
 *
 * @typedef {object} Counts
 * @property {number} failovers
 * @property {number} acknowledged mails answered with 250
 * @property {number} refused mails answered with 451
 * @property {number} waits waits open during a failover that ended with the first mail after it
 * @property {number} lost acknowledged mails that are not stored at the end
 * @property {number} twice mails stored more than once
 * @property {number} misanswered rejections other than 451, and waits with another result
 * @property {number} ended nodes that exited during a failover
 * @property {number} stuck failovers after which no mail was accepted for 10 s
 * @property {readonly number[]} gapsMs times from the kill of the primary to the next accepted mail
 * @property {readonly number[]} returnsMs times from the promotion of the standby to the next accepted mail
 */

const clients = 20;
const inboxCount = 5;

/** Maximum time from the promotion to the next accepted mail. */
const maxReturnMs = 10_000;

/**
 * Kills the primary of two servers under load, promotes its synchronous standby, and restarts the old primary. At the end,
 * checks every mail that was answered with 250.
 * @param {string} home folder for the files of the nodes
 * @param {typeof import('./daemons.js').startDaemon} start
 * @param {number} failovers
 * @param {{isSynchronous?: boolean, progress?: (text: string) => void}} [options]
 * @returns {Promise<Counts | {skipped: string}>}
 */
export async function pgFailover(home, start, failovers, {isSynchronous = true, progress = () => {}} = {}) {
	const skipped = whyNoPostgres();
	if (skipped !== undefined) {
		return {skipped};
	}

	const all = {acknowledged: 0, refused: 0, waits: 0, lost: 0, twice: 0, misanswered: 0, ended: 0, stuck: 0};
	/** @type {{gapsMs: number[], returnsMs: number[]}} */
	const times = {gapsMs: [], returnsMs: []};
	for (let round = 1; round <= failovers; round++) {
		const {gapMs, returnMs, ...counts} = await failOver(path.join(home, String(round)), start, isSynchronous);
		for (const [name, count] of Object.entries(counts)) {
			all[/** @type {keyof typeof all} */ (name)] += count;
		}

		times.gapsMs.push(gapMs);
		times.returnsMs.push(returnMs);
		progress(JSON.stringify({failovers: round, ...all, ...times}));
	}

	return {failovers, ...all, ...times};
}

/**
 * @param {string} home
 * @param {typeof import('./daemons.js').startDaemon} start
 * @param {boolean} isSynchronous
 */
async function failOver(home, start, isSynchronous) {
	const primary = new Cluster({isDurable: true});
	// The standby has no standby itself after the promotion.
	const standby = new Cluster({isDurable: true, settings: {synchronous_standby_names: ''}});
	/** @type {CrashedDaemon[]} */
	const nodes = [];
	try {
		await primary.create();
		const database = await primary.createDatabase();
		await standby.create({standbyOf: primary});
		if (isSynchronous) {
			await configure(primary, 'synchronous_standby_names', '*');
		}

		const url = `postgres://postgres@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/${database}`;
		const store = ['--store', url, '--store-key-file', path.join(home, 'key')];
		for (const name of ['one', 'other']) {
			nodes.push(await start(path.join(home, name), ...store));
		}

		return await underLoad(nodes, {primary, standby, isSynchronous});
	} finally {
		await Promise.all(nodes.map(node => node.kill()));
		await Promise.all([primary.remove(), standby.remove()]);
	}
}

/**
 * @param {readonly CrashedDaemon[]} nodes
 * @param {{primary: Cluster, standby: Cluster, isSynchronous: boolean}} servers
 */
async function underLoad(nodes, {primary, standby, isSynchronous}) {
	const [node] = nodes;
	if (!node) {
		throw new Error('There is no node.');
	}

	const inboxes = await Promise.all(Array.from({length: inboxCount}, () => node.createInbox()));
	/** @type {readonly Inbox[]} */
	const waiting = await Promise.all(nodes.map(each => each.createInbox()));
	const load = new Load();
	const work = Array.from({length: clients}, (_, client) =>
		load.send(String(client), nodes[client % nodes.length] ?? node, inboxes[client % inboxCount] ?? inboxes[0]),
	);
	const waits = nodes.flatMap((each, index) => {
		const inbox = waiting[index];
		return inbox ? [each.wait(inbox, 60).catch(() => [])] : [];
	});
	await untilMore(load.acknowledged, 30_000);
	await sleep(500);
	if (!isSynchronous) {
		// From now on, mails are acknowledged but not replicated.
		await configure(standby, 'primary_conninfo', '');
		const there = load.acknowledged.size;
		await untilMore(load.acknowledged, 10_000);
		await sleep(load.acknowledged.size > there ? 500 : 0);
	}

	const killedAt = performance.now();
	await primary.stop('SIGKILL');
	await sleep(1000);
	await askDatabase(standby.url('postgres'), 'select pg_promote()');
	const promotedAt = performance.now();
	await untilMore(load.acknowledged, maxReturnMs);
	const backAt = performance.now();
	// The old primary returns; no node may write to it.
	await primary.start();
	await sleep(1000);
	const answered = await Promise.all(
		waits.map(async (wait, index) => {
			const {smtp} = nodes[index] ?? node;
			const session = await SmtpSession.open(smtp);
			await session.send('sender@crash.test', waiting[index]?.address ?? '', mailOf('awaited'));
			await session.quit();
			return (await wait).length;
		}),
	);
	load.stop();
	await Promise.all(work);
	const lists = await Promise.all(inboxes.map(inbox => node.messages(inbox)));
	const subjects = lists.flat().map(({subject}) => subject);
	const there = new Set(subjects);
	return {
		acknowledged: load.acknowledged.size,
		refused: load.refused,
		waits: answered.filter(count => count === 1).length,
		lost: [...load.acknowledged].filter(subject => !there.has(subject)).length,
		twice: subjects.length - there.size,
		misanswered: load.misanswered + answered.filter(count => count !== 1).length,
		ended: nodes.filter(({pid}) => !isRunning(pid)).length,
		stuck: backAt - promotedAt >= maxReturnMs ? 1 : 0,
		gapMs: Math.round(backAt - killedAt),
		returnMs: Math.round(backAt - promotedAt),
	};
}

/** Clients that send until `stop`, in sessions that continue after rejections. */
class Load {
	/** Subjects of mails answered with 250. @type {Set<string>} */
	acknowledged = new Set();
	refused = 0;
	misanswered = 0;
	#isOver = false;

	stop() {
		this.#isOver = true;
	}

	/**
	 * @param {string} name prefix of the subjects
	 * @param {CrashedDaemon} node
	 * @param {Inbox | undefined} inbox
	 */
	async send(name, {smtp}, inbox) {
		const session = await SmtpSession.open(smtp);
		for (let count = 0; !this.#isOver; count++) {
			const subject = `${name}-${count}`;
			try {
				await session.send('sender@crash.test', inbox?.address ?? '', mailOf(subject));
				this.acknowledged.add(subject);
			} catch (error) {
				this.refused++;
				if (!/\b451 4\.3\.0 /.test(String(error))) {
					this.misanswered++;

					break;
				}

				await session.command('RSET', '250');
				await sleep(100);
			}
		}

		session.destroy();
	}
}

/**
 * @param {Cluster} server
 * @param {string} name
 * @param {string} value
 */
async function configure(server, name, value) {
	await askDatabase(server.url('postgres'), `alter system set ${name} = '${value}'`);
	await askDatabase(server.url('postgres'), 'select pg_reload_conf()');
}

/** @param {number} pid */
function isRunning(pid) {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

/** @param {string} subject */
function mailOf(subject) {
	return `Subject: ${subject}\r\n\r\nA short mail.\r\n`;
}
