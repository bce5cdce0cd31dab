import {randomInt} from 'node:crypto';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {Cluster, whyNoPostgres} from '../../helpers/postgres-cluster.js';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {startMs} from './daemons.js';
import {untilMore} from './kill-loop.js';
import {flags, untilFinished} from './webhook-kills.js';
import {startReceiver} from './webhook-receiver.js';

/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 * @typedef {import('./kill-loop.js').Inbox} Inbox
 *
 * @typedef {object} Counts
 * @property {number} kills kills of nodes
 * @property {number} serverKills
 * @property {number} died nodes that exited by themselves
 * @property {number} hung starts that neither succeeded nor failed in time
 * @property {number} acknowledged mails answered with 250
 * @property {number} unanswered sessions that ended in another way
 * @property {number} lost acknowledged mails that are not stored at the end
 * @property {number} twice mails stored more than once
 * @property {number} unfinished deliveries that are neither delivered nor dead at the end
 * @property {number} stuck server restarts after which no mail was accepted for 10 s
 * @property {number} longestMs longest time from a server restart to the next accepted mail
 *
 * @typedef {Counts & import('./webhook-receiver.js').AnnouncementProblems} Problems
 */

const nodeCount = 3;
const clients = 20;
const inboxCount = 20;
const mailsPerSession = 5;
/** Number of node kills before each server kill. */
export const nodeKillsPerServerKill = 10;

/** Pause between mails, so that other processes are not starved on a small machine. */
const pauseMs = 50;

/** Maximum time from a server restart to the next accepted mail. */
const maxReturnMs = 10_000;

/** More than two lease times, so that deliveries of a killed node are taken over. */
const patienceMs = 180_000;

/**
 * Randomly kills nodes on one database, and sometimes its server, while clients send to all nodes and deliveries are sent. At
 * the end, checks every mail that was answered with 250.
 * @param {string} home folder for the files of the nodes
 * @param {typeof import('./daemons.js').startDaemon} start
 * @param {number} kills number of node kills
 * @param {(text: string) => void} [progress]
 * @returns {Promise<Problems | {skipped: string}>}
 */
export async function pgKills(home, start, kills, progress = () => {}) {
	const skipped = whyNoPostgres();
	if (skipped !== undefined) {
		return {skipped};
	}

	const server = new Cluster({isDurable: true});
	/** @type {Node[]} */
	const nodes = [];
	try {
		await server.create();
		const store = ['--store', server.url(await server.createDatabase()), '--store-key-file', path.join(home, 'key')];
		for (let index = 0; index < nodeCount; index++) {
			nodes.push(new Node(() => start(path.join(home, `node-${index}`), ...store, ...flags)));
		}

		return await killUnderLoad(server, nodes, kills, progress);
	} finally {
		await Promise.all(nodes.map(node => node.kill()));
		await server.remove();
	}
}

/**
 * @param {Cluster} server
 * @param {readonly Node[]} nodes
 * @param {number} kills
 * @param {(text: string) => void} progress
 * @returns {Promise<Problems>}
 */
async function killUnderLoad(server, nodes, kills, progress) {
	// The first node creates the schema and the key.
	await nodes[0]?.start();
	await Promise.all(nodes.map(node => node.start()));
	const receiver = await startReceiver({refuseEvery: 10, answerMs: () => randomInt(randomInt(10) === 0 ? 2000 : 100)});
	const inboxes = await createInboxes(nodes, receiver.url);
	const load = new Load(nodes, inboxes);
	const work = Array.from({length: clients}, (_, client) => load.send(String(client)));
	const counts = {kills: 0, serverKills: 0, stuck: 0, longestMs: 0};
	/** @type {Promise<unknown>[]} */
	const restarts = [];
	while (counts.kills < kills) {
		await sleep(randomInt(20, 500));
		const running = nodes.filter(({daemon}) => daemon);
		const node = running[randomInt(Math.max(1, running.length))];
		// One node keeps running to accept mail and take over leases.
		if (node && running.length > 1) {
			await node.kill();
			restarts.push(node.start());
			counts.kills++;
			if (counts.kills % nodeKillsPerServerKill === 0) {
				await server.stop('SIGKILL');
				await server.start();
				const returnedAt = Date.now();
				await untilMore(load.acknowledged, maxReturnMs);
				const tookMs = Date.now() - returnedAt;
				counts.serverKills++;
				counts.stuck += tookMs >= maxReturnMs ? 1 : 0;
				counts.longestMs = Math.max(counts.longestMs, tookMs);
			}

			progress(JSON.stringify({...counts, ...load.counts(), events: receiver.announced.size}));
		}
	}

	load.stop();
	await Promise.all([...work, ...restarts]);
	await nodes[0]?.kill();
	const daemon = await nodes[0]?.start();
	if (!daemon) {
		throw new Error('There is no node.');
	}

	const lists = await Promise.all(inboxes.map(inbox => daemon.messages(inbox)));
	const subjects = lists.flat().map(({subject}) => subject);
	const there = new Set(subjects);
	const lost = [...load.acknowledged].filter(subject => !there.has(subject)).length;
	const isBroken = lost > 0 || receiver.problems(load.acknowledged).overlapping > 0;
	const unfinished = await untilFinished(
		async () => (await Promise.all(inboxes.map(inbox => unfinishedOf(daemon, inbox)))).flat(),
		isBroken ? 0 : patienceMs,
	);
	await Promise.all(nodes.map(node => node.kill()));
	await receiver.close();
	return {
		...counts,
		died: nodes.reduce((sum, {died}) => sum + died, 0),
		hung: nodes.reduce((sum, {hung}) => sum + hung, 0),
		...load.counts(),
		lost,
		twice: subjects.length - there.size,
		unfinished,
		...receiver.problems(load.acknowledged),
	};
}

/** @typedef {Inbox & {endpointId: string}} AnnouncedInbox */

/**
 * Creates inboxes of different users, each with an endpoint.
 * @param {readonly Node[]} nodes
 * @param {string} url
 * @returns {Promise<AnnouncedInbox[]>}
 */
async function createInboxes(nodes, url) {
	/** @type {AnnouncedInbox[]} */
	const inboxes = [];
	for (let index = 0; index < inboxCount; index++) {
		const {daemon} = nodes[index % nodes.length] ?? {};
		const inbox = await daemon?.createInbox();
		const endpointId = inbox && (await daemon?.createEndpoint(inbox, `${url}${index}`));
		inboxes.push(...(inbox && endpointId !== undefined ? [{...inbox, endpointId}] : []));
	}

	return inboxes;
}

/**
 * @param {CrashedDaemon} daemon
 * @param {AnnouncedInbox} inbox
 */
async function unfinishedOf(daemon, inbox) {
	const left = ['pending', 'failed'].map(status => daemon.deliveries(inbox, inbox.endpointId, status));
	return (await Promise.all(left)).flat();
}

/** A node that is restarted after each kill. */
class Node {
	/** @type {CrashedDaemon | undefined} */
	daemon;
	/** Times that it exited by itself. */
	died = 0;
	/** Starts that neither succeeded nor failed in time. */
	hung = 0;
	#start;

	/** @param {() => Promise<CrashedDaemon>} start starts the node with the same files */
	constructor(start) {
		this.#start = start;
	}

	/** Starts the node, with retries while the database is unavailable. */
	async start() {
		const deadline = Date.now() + 3 * startMs;
		for (;;) {
			const startedAt = Date.now();
			this.daemon ??= await this.#start().catch(error => {
				this.hung += Date.now() - startedAt >= startMs ? 1 : 0;
				if (Date.now() > deadline) {
					throw error;
				}

				return undefined;
			});
			if (this.daemon) {
				return this.daemon;
			}
		}
	}

	async kill() {
		const {daemon} = this;
		this.daemon = undefined;
		const log = await daemon?.kill();
		if (log !== undefined) {
			this.died++;
			console.error(`A node exited by itself:\n${log}`);
		}
	}
}

/** Clients that send until `stop`. */
class Load {
	/** Subjects of mails answered with 250. @type {Set<string>} */
	acknowledged = new Set();
	#unanswered = 0;
	#isOver = false;
	#nodes;
	#inboxes;

	/**
	 * @param {readonly Node[]} nodes
	 * @param {readonly Inbox[]} inboxes
	 */
	constructor(nodes, inboxes) {
		this.#nodes = nodes;
		this.#inboxes = inboxes;
	}

	counts() {
		return {acknowledged: this.acknowledged.size, unanswered: this.#unanswered};
	}

	stop() {
		this.#isOver = true;
	}

	/**
	 * Sends mails with unique subjects to random nodes. Mails without a reply may be stored or not.
	 * @param {string} name prefix of the subjects
	 */
	async send(name) {
		for (let count = 0; !this.#isOver; ) {
			const {daemon} = this.#nodes[randomInt(this.#nodes.length)] ?? {};
			const inbox = this.#inboxes[randomInt(this.#inboxes.length)];
			const session = daemon && (await SmtpSession.open(daemon.smtp).catch(() => undefined));
			try {
				for (let mail = 0; session && inbox && mail < mailsPerSession; mail++) {
					const subject = `${name}-${count++}`;
					await session.send('sender@crash.test', inbox.address, mailOf(subject, count));
					this.acknowledged.add(subject);
					await sleep(pauseMs);
				}

				await session?.quit();
			} catch {
				this.#unanswered++;
			} finally {
				session?.destroy();
			}

			await sleep(pauseMs);
		}
	}
}

/**
 * Every fiftieth mail is large enough for a separate commit.
 * @param {string} subject
 * @param {number} count
 */
function mailOf(subject, count) {
	const body = count % 50 === 0 ? 'A long line of a large mail.\r\n'.repeat(20_000) : 'A short mail.\r\n';
	return `Subject: ${subject}\r\n\r\n${body}`;
}
