import {randomBelow} from '../../test/slow/proof/random.js';
import {percentile} from '../statistics.js';
import {Clock, Servers} from './clock.js';
import {Database} from './database.js';

/**
 * @typedef {object} Figures what one thing costs, measured by `npm run scale -- --measure`
 * @property {number} nodeCpuMs of a node, a mail
 * @property {number} batchCpuMs of the database, a commit
 * @property {number} mailCpuMs of the database, a mail in it
 * @property {number} walBytes a mail, without its source
 * @property {number} sourceBytes a mail
 * @property {number} syncMs of the log
 * @property {number} walMegabytesPerSecond that the disk of the log takes
 * @property {number} noticeCpuMs of the database, a notice
 * @property {number} noticePauseMs between two notices of a node
 * @property {number} listenerCpuMs of the database, a notice at one node that listens
 * @property {number} heardCpuMs of a node, a notice
 * @property {number} readCpuMs of the database, a look of a wait
 *
 * @typedef {object} Shape
 * @property {number} nodes
 * @property {number} nodeCores
 * @property {number} databases each with its share of the inboxes
 * @property {number} databaseCores
 * @property {number} users whose rows the commits lock
 * @property {number} mailsPerSecond that come
 * @property {boolean} [apart] whether sources are kept apart from the database
 * @property {boolean} [replicas] whether reads are answered elsewhere
 * @property {boolean} [direct] whether nodes tell each other without the database
 *
 * @typedef {object} Outcome
 * @property {number} mailsPerSecond that were answered
 * @property {number} share of those that came
 * @property {number} commitP50 milliseconds until a mail is answered
 * @property {number} commitP99
 * @property {number} wakeP50 milliseconds from there until its wait, at any node, is
 * @property {number} wakeP99
 * @property {number} noticesPerSecond in each database
 * @property {number} walMegabytesPerSecond
 */

/** Commits of a node that are under way at once, and mails in each. */
const maxBatches = 2;
const mailsPerBatch = 200;

/** What comes before is not counted. */
const warmUpMs = 200;
const measuredMs = 600;

/**
 * The same for the same seed. Each mail comes to any node, is for any user, and is waited for at any node.
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
	/** A node's way into one database. */
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

	/** Each node hears each notice, and looks for what it waits for. @param {Database} database @param {readonly Mail[]} told */
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
			// As the node does: one turn, for what comes in the same moment.
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
