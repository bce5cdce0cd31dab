import {randomBelow} from '../../test/slow/proof/random.js';
import {percentile} from '../statistics.js';
import {Clock, Servers} from './clock.js';
import {Database} from './database.js';

/**
 * @typedef {object} Figures costs measured by `npm run scale -- --measure`
 * @property {number} nodeCpuMs CPU time of a node per mail
 * @property {number} batchCpuMs CPU time of the database per commit
 * @property {number} mailCpuMs CPU time of the database per mail in a commit
 * @property {number} walBytes log size per mail, without its source
 * @property {number} sourceBytes source size per mail
 * @property {number} syncMs time of a log sync
 * @property {number} walMegabytesPerSecond write rate of the disk of the log
 * @property {number} noticeCpuMs CPU time of the database per notice
 * @property {number} noticePauseMs pause between two notices of a node
 * @property {number} listenerCpuMs CPU time of the database per notice and listening node
 * @property {number} heardCpuMs CPU time of a node per received notice
 * @property {number} readCpuMs CPU time of the database per read of a wait
 *
 * @typedef {object} Shape
 * @property {number} nodes
 * @property {number} nodeCores
 * @property {number} databases number of databases, which share the inboxes
 * @property {number} databaseCores
 * @property {number} users number of users, whose rows the commits lock
 * @property {number} mailsPerSecond rate of incoming mail
 * @property {boolean} [apart] sources are stored outside of the database
 * @property {boolean} [replicas] replicas serve reads
 * @property {boolean} [direct] nodes notify each other without the database
 *
 * @typedef {object} Outcome
 * @property {number} mailsPerSecond rate of replies
 * @property {number} share fraction of incoming mails that got a reply
 * @property {number} commitP50 milliseconds until the reply
 * @property {number} commitP99
 * @property {number} wakeP50 milliseconds from the reply to the response of the wait at any node
 * @property {number} wakeP99
 * @property {number} noticesPerSecond in each database
 * @property {number} walMegabytesPerSecond
 */

/** Maximum concurrent commits of a node, and mails in each. */
const maxBatches = 2;
const mailsPerBatch = 200;

/** Time before the measurement. */
const warmUpMs = 200;
const measuredMs = 600;

/**
 * Simulates the load, deterministic for a seed. Each mail has a random node, user and waiting node.
 * @param {Figures} figures
 * @param {Shape} shape
 * @param {number} seed
 * @returns {Outcome}
 */
export function simulate(figures, shape, seed) {
	const clock = new Clock();
	const random = randomBelow(seed);
	const databases = Array.from({length: shape.databases}, () => new Database(clock, figures, shape.databaseCores));
	/** @type {number[]} */
	const commits = [];
	/** @type {number[]} */
	const wakes = [];
	let notices = 0;
	let arrived = 0;
	const isMeasured = () => clock.now > warmUpMs;

	const nodes = Array.from({length: shape.nodes}, () => new Servers(clock, shape.nodeCores));
	const ways = nodes.map(() =>
		databases.map(database => ({
			database,
			/** @type {Mail[]} */ waiting: [],
			underWay: 0,
			/** @type {Mail[]} */ untold: [],
			isTelling: false,
		})),
	);
	const walBytes = figures.walBytes + (shape.apart ? 0 : figures.sourceBytes);

	/** @typedef {{at: number, user: number, waiter: number}} Mail */
	/** @typedef {ReturnType<typeof wayOf>} Way */
	/** @param {number} node @param {number} user */
	function wayOf(node, user) {
		const way = ways[node]?.[user % shape.databases];
		if (!way) {
			throw new Error('There is no such node.');
		}

		return way;
	}

	/** @param {Way} way */
	function send(way) {
		if (way.underWay === maxBatches || way.waiting.length === 0) {
			return;
		}

		const batch = way.waiting.splice(0, mailsPerBatch);
		way.underWay++;
		const cpuMs = figures.batchCpuMs + batch.length * figures.mailCpuMs;
		way.database.commit({rows: batch.map(({user}) => user), cpuMs, walBytes: batch.length * walBytes}, () => {
			way.underWay--;
			for (const mail of batch) {
				if (isMeasured()) {
					commits.push(clock.now - mail.at);
				}

				mail.at = clock.now;
				way.untold.push(mail);
			}

			tell(way);
			send(way);
		});
	}

	/** @param {Way} way */
	function tell(way) {
		if (way.isTelling || way.untold.length === 0) {
			return;
		}

		const told = way.untold;
		way.untold = [];
		way.isTelling = true;
		notices += isMeasured() ? 1 : 0;
		const goOn = () =>
			clock.after(figures.noticePauseMs, () => {
				way.isTelling = false;
				tell(way);
			});
		if (shape.direct) {
			hear(way.database, told);
			goOn();
			return;
		}

		// Notices of all nodes commit one after the other.
		way.database.noticeLock.work(figures.noticeCpuMs, () => {
			way.database.cores.work(figures.noticeCpuMs, () => hear(way.database, told));
			goOn();
		});
	}

	/** Each node receives each notice and reads the messages that it waits for. @param {Database} database @param {readonly Mail[]} told */
	function hear(database, told) {
		for (const [index, node] of nodes.entries()) {
			database.cores.work(shape.direct ? 0 : figures.listenerCpuMs, () => {
				node.work(figures.heardCpuMs, () => {
					for (const mail of told) {
						if (mail.waiter === index) {
							look(database, mail);
						}
					}
				});
			});
		}
	}

	/** @param {Database} database @param {Mail} mail */
	function look(database, mail) {
		const woken = () => {
			if (isMeasured()) {
				wakes.push(clock.now - mail.at);
			}
		};
		if (shape.replicas) {
			clock.after(figures.readCpuMs, woken);
		} else {
			database.cores.work(figures.readCpuMs, woken);
		}
	}

	function arrive() {
		const node = random(shape.nodes);
		const mail = {at: clock.now, user: random(shape.users), waiter: random(shape.nodes)};
		const way = wayOf(node, mail.user);
		arrived += isMeasured() ? 1 : 0;
		nodes[node]?.work(figures.nodeCpuMs, () => {
			way.waiting.push(mail);
			// Like a node, waits one turn to batch simultaneous mails.
			clock.after(0, () => send(way));
		});
		clock.after(-Math.log(1 - random(1e9) / 1e9) * (1000 / shape.mailsPerSecond), arrive);
	}

	arrive();
	clock.runUntil(warmUpMs + measuredMs);
	const ofAll = warmUpMs + measuredMs;
	const mean = (/** @type {readonly number[]} */ values) =>
		values.reduce((sum, value) => sum + value, 0) / values.length;
	return {
		mailsPerSecond: commits.length / (measuredMs / 1000),
		share: commits.length / arrived,
		commitP50: percentile(commits, 0.5),
		commitP99: percentile(commits, 0.99),
		wakeP50: percentile(wakes, 0.5),
		wakeP99: percentile(wakes, 0.99),
		noticesPerSecond: notices / (measuredMs / 1000) / shape.databases,
		walMegabytesPerSecond: mean(databases.map(({walBytes}) => walBytes)) / 1000 / ofAll,
	};
}
