import http from 'node:http';
import {SmtpSession} from '../../helpers/smtp-session.js';
import {mailOf} from '../load/smtp-load.js';
import {startTinbox} from '../servers/start.js';
import {percentile} from '../statistics.js';

const polls = 100;
const rounds = 60;

/**
 * From the 250 on the wire to the answer of a long poll, while 100 of them are open on the inbox.
 * @type {import('../run.js').Bench}
 */
export async function wakeUp({progress}) {
	const server = await startTinbox();
	const agent = new http.Agent({keepAlive: true, maxSockets: polls});
	const session = await SmtpSession.open(server.smtp);
	/** @type {number[]} */
	const times = [];
	let after = '';
	for (let round = 0; round < rounds; round++) {
		let acknowledgedAt = 0;
		const url = `${server.url}/inboxes/${server.inboxId}/messages?wait=30&limit=1${after}`;
		const answers = Array.from({length: polls}, () => get(url, server.key, agent));
		await settle();
		await session.send('bench@sender.test', server.to, mailOf(2048, `Round ${round}`));
		acknowledgedAt = performance.now();
		const bodies = await Promise.all(answers);
		// The first rounds warm up both sides.
		times.push(...(round < 10 ? [] : bodies.map(({answeredAt}) => answeredAt - acknowledgedAt)));
		after = `&after=${JSON.parse(bodies[0]?.text ?? '[]')[0].id}`;
	}

	agent.destroy();
	await session.quit();
	await server.stop();
	const p50 = percentile(times, 0.5);
	const p99 = percentile(times, 0.99);
	progress(`wake-up p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`);
	return [
		{what: `250 to answered poll, ${polls} open, p50`, tinbox: `${p50.toFixed(2)} ms`, value: p50, goal: {atMost: 5}},
		{what: `250 to answered poll, ${polls} open, p99`, tinbox: `${p99.toFixed(2)} ms`, value: p99, goal: {atMost: 20}},
	];
}

/** Time for the requests to reach the daemon and to be held there. */
function settle() {
	return new Promise(resolve => setTimeout(resolve, 100));
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
