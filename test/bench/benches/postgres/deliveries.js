import {once} from 'node:events';
import {createServer} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import postgres from 'postgres';
import {SmtpSession} from '../../../helpers/smtp-session.js';
import {figureAlone, figureBeside, inUnit} from '../../figures.js';
import {mailOf} from '../../load/smtp-load.js';
import {createAccount, post} from '../../servers/start.js';
import {median} from '../../statistics.js';

/** Each mail to one of them makes as many deliveries as the user has endpoints. */
const users = 5;
const endpointsPerUser = 10;

/** So many deliveries wait, so that there is always something to send, and mail costs little beside. */
const backlog = 2000;
const warmUpMs = 20_000;
const withoutMs = 60_000;
const heldMs = 180_000;
const sliceMs = 10_000;

/** Slices that are compared: the last minute. */
const compared = 6;
const goal = 1500;

/**
 * Deliveries a second to receivers that answer at once, without and with a session that holds an old snapshot, which keeps the
 * database from removing dead rows.
 * @param {import('../../servers/nodes.js').NodeCluster} cluster
 * @param {(text: string) => void} progress
 * @returns {Promise<import('../../run.js').Figure[]>}
 */
export async function deliveryRates(cluster, progress) {
	const url = await cluster.createDatabase();
	const figures = [];
	const node = await cluster.startNode(url);
	const receiver = await startReceiver();
	const addresses = await createUsers(node, receiver.url);
	const work = new Backlog(node, addresses, receiver);
	const sending = work.keep();
	await sleep(warmUpMs);
	const without = await slices(receiver, withoutMs, rate => progress(`one node: ${rate.toFixed(0)}/s`));
	const other = postgres(url, {max: 1, onnotice: () => {}});
	const held = await other.begin('isolation level repeatable read', async sql => {
		await sql`select count(*) from pg_class`;
		return slices(receiver, heldMs, rate => progress(`one node, old snapshot: ${rate.toFixed(0)}/s`));
	});
	await other.end();
	figures.push(
		figureAlone(`deliveries a second, one node, ${users * endpointsPerUser} endpoints`, {
			value: median(without),
			show: inUnit('/s'),
			goal: {atLeast: goal},
		}),
		figureBeside('deliveries a second in the third minute of an old snapshot', {
			ours: median(held.slice(-compared)),
			peer: 'without',
			theirs: median(without),
			show: inUnit('/s'),
			goal: {atLeast: 0.8},
		}),
	);
	const second = await cluster.startNode(url);
	await sleep(warmUpMs);
	const two = await slices(receiver, withoutMs, rate => progress(`two nodes: ${rate.toFixed(0)}/s`));
	figures.push(
		figureBeside(`deliveries a second, two nodes, ${users * endpointsPerUser} endpoints`, {
			ours: median(two),
			peer: 'one node',
			theirs: median(without),
			show: inUnit('/s'),
		}),
	);
	work.stop();
	await sending;
	await Promise.all([node.stop(), second.stop()]);
	receiver.close();
	return figures;
}

/**
 * What came in a second, of each slice of the time.
 * @param {Receiver} receiver
 * @param {number} ms
 * @param {(rate: number) => void} progress
 */
async function slices(receiver, ms, progress) {
	const rates = [];
	for (let slice = 0; slice < ms / sliceMs; slice++) {
		const [before, startedAt] = [receiver.count(), performance.now()];
		await sleep(sliceMs);
		const rate = ((receiver.count() - before) / (performance.now() - startedAt)) * 1000;
		rates.push(rate);
		progress(rate);
	}

	return rates;
}

/** Sends mail whenever few deliveries wait. */
class Backlog {
	#node;
	#addresses;
	#receiver;
	#made = 0;
	#isOver = false;

	/**
	 * @param {import('../../servers/start.js').Tinbox} node
	 * @param {readonly string[]} addresses
	 * @param {Receiver} receiver
	 */
	constructor(node, addresses, receiver) {
		this.#node = node;
		this.#addresses = addresses;
		this.#receiver = receiver;
	}

	async keep() {
		await Promise.all(this.#addresses.map(address => this.#keepFor(address)));
	}

	/** @param {string} address */
	async #keepFor(address) {
		const session = await SmtpSession.open(this.#node.smtp);
		while (!this.#isOver) {
			if (this.#made - this.#receiver.count() < backlog) {
				await session.send('bench@sender.test', address, mailOf(2048));
				this.#made += endpointsPerUser;
			} else {
				await sleep(10);
			}
		}

		await session.quit();
	}

	stop() {
		this.#isOver = true;
	}
}

/**
 * The addresses of their inboxes.
 * @param {import('../../servers/start.js').Tinbox} node
 * @param {string} receiver
 */
async function createUsers({url, dataDir}, receiver) {
	const addresses = [];
	for (let user = 0; user < users; user++) {
		const {key, inbox} = await createAccount(url, dataDir);
		addresses.push(inbox.email_address);
		for (let endpoint = 0; endpoint < endpointsPerUser; endpoint++) {
			await post(`${url}/webhooks`, {'x-api-key': key}, {url: receiver});
		}
	}

	return addresses;
}

/** @typedef {Awaited<ReturnType<typeof startReceiver>>} Receiver */

/** Takes every request at once, and counts them. */
async function startReceiver() {
	let count = 0;
	const server = createServer((request, response) => {
		request.resume().on('end', () => {
			count++;
			response.end();
		});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	return {
		url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
		count: () => count,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}
