import http from 'node:http';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {mailOf} from '../load/smtp-load.js';
import {startTinbox} from '../servers/start.js';
import {median, percentile} from '../statistics.js';

const polls = 100;
const rounds = 200;
const warmUp = 20;

/**
 * From the 250 on the wire to the answer of a long poll, while 100 of them are open: each on an inbox of its own, as
 * in tests that run side by side, and all on one inbox, which a mail then answers all at once.
 * @type {import('../run.js').Bench}
 */
export async function wakeUp({progress}) {
	const server = await startTinbox();
	const agent = new http.Agent({keepAlive: true, maxSockets: polls});
	const session = await SmtpSession.open(server.smtp);
	const poller = new Poller(server, agent);
	const apart = await measureApart(poller, session);
	const together = await measureTogether(poller, session);
	agent.destroy();
	await session.quit();
	await server.stop();
	progress(`apart p50 ${median(apart).toFixed(2)} ms, together p50 ${median(together).toFixed(2)} ms`);
	const row = (/** @type {string} */ what, /** @type {number} */ value) => ({what, tinbox: `${value.toFixed(2)} ms`});
	const [p50, p99] = [percentile(apart, 0.5), percentile(apart, 0.99)];
	return [
		{...row('250 to answered poll, 100 open, p50', p50), value: p50, goal: {atMost: 5}},
		{...row('250 to answered poll, 100 open, p99', p99), value: p99, goal: {atMost: 20}},
		row('250 to answered polls, all 100 on one inbox, p50', percentile(together, 0.5)),
		row('250 to answered polls, all 100 on one inbox, p99', percentile(together, 0.99)),
	];
}

/**
 * @param {Poller} poller
 * @param {SmtpSession} session
 */
async function measureApart(poller, session) {
	const inboxes = await Promise.all(Array.from({length: polls}, () => poller.createInbox()));
	const answers = inboxes.map(inbox => poller.wait(inbox));
	const times = [];
	for (let round = 0; round < rounds; round++) {
		const turn = round % polls;
		const [inbox, answer] = [inboxes[turn], answers[turn]];
		if (!inbox || !answer) {
			throw new Error('There are fewer inboxes than polls.');
		}

		await settle(20);
		await session.send('bench@sender.test', inbox.email_address, mailOf(2048, `Round ${round}`));
		const acknowledgedAt = performance.now();
		const {answeredAt, after} = await answer;
		answers[turn] = poller.wait(inbox, after);
		times.push(...(round < warmUp ? [] : [answeredAt - acknowledgedAt]));
	}

	return times;
}

/**
 * @param {Poller} poller
 * @param {SmtpSession} session
 */
async function measureTogether(poller, session) {
	const inbox = await poller.createInbox();
	const times = [];
	let after = '';
	for (let round = 0; round < rounds / 4; round++) {
		const answers = Array.from({length: polls}, () => poller.wait(inbox, after));
		await settle(100);
		await session.send('bench@sender.test', inbox.email_address, mailOf(2048, `Round ${round}`));
		const acknowledgedAt = performance.now();
		const all = await Promise.all(answers);
		times.push(...(round < warmUp / 4 ? [] : all.map(({answeredAt}) => answeredAt - acknowledgedAt)));
		after = all[0]?.after ?? '';
	}

	return times;
}

/**
 * Time for requests to reach the daemon and to be held there.
 * @param {number} ms
 */
function settle(ms) {
	return new Promise(resolve => setTimeout(resolve, ms));
}

class Poller {
	#server;
	#agent;

	/**
	 * @param {import('../servers/start.js').Tinbox} server
	 * @param {http.Agent} agent
	 */
	constructor(server, agent) {
		this.#server = server;
		this.#agent = agent;
	}

	/** @returns {Promise<{id: string, email_address: string}>} */
	async createInbox() {
		const {url, key} = this.#server;
		const response = await fetch(`${url}/inboxes`, {method: 'POST', headers: {'x-api-key': key}});
		return /** @type {Promise<{id: string, email_address: string}>} */ (response.json());
	}

	/**
	 * @param {{id: string}} inbox
	 * @param {string} [after]
	 * @returns {Promise<{answeredAt: number, after: string}>}
	 */
	async wait({id}, after = '') {
		const path = `/inboxes/${id}/messages?wait=60&limit=1${after && `&after=${after}`}`;
		const {text, answeredAt} = await get(this.#server.url + path, this.#server.key, this.#agent);
		return {answeredAt, after: JSON.parse(text)[0]?.id ?? after};
	}
}

/**
 * @param {string} url
 * @param {string} key
 * @param {http.Agent} agent
 * @returns {Promise<{text: string, answeredAt: number}>}
 */
function get(url, key, agent) {
	return new Promise((resolve, reject) => {
		const request = http.get(url, {agent, headers: {'x-api-key': key}}, response => {
			let text = '';
			response.setEncoding('utf8').on('data', chunk => {
				text += chunk;
			});
			response.on('end', () => resolve({text, answeredAt: performance.now()}));
		});
		request.on('error', reject);
	});
}
