import http from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../test/helpers/smtp-session.js';
import {mailOf} from './smtp-load.js';

/** Time for requests to reach the daemon. */
const settleMs = 100;

/**
 * Times from the 250 reply to the response of each poll that is open on the inbox, for several rounds.
 * @param {import('../servers/start.js').Tinbox} server
 * @param {{polls: number, rounds: number, warmUp: number}} load
 * @returns {Promise<number[]>} milliseconds
 */
export async function wakeUpTimes({smtp, to, url, inboxId, key}, {polls, rounds, warmUp}) {
	const agent = new http.Agent({keepAlive: true, maxSockets: polls});
	const session = await SmtpSession.open(smtp);
	/** @type {number[]} */
	const times = [];
	const list = `${url}/inboxes/${inboxId}/messages?limit=1`;
	let after = afterNewest(await get(list, key));
	for (let round = 0; round < warmUp + rounds; round++) {
		const answers = Array.from({length: polls}, () => get(`${list}&wait=30${after}`, key, agent));
		await sleep(settleMs);
		await session.send('bench@sender.test', to, mailOf(2048, `Round ${round}`));
		const acknowledgedAt = performance.now();
		const bodies = await Promise.all(answers);
		times.push(...(round < warmUp ? [] : bodies.map(({answeredAt}) => answeredAt - acknowledgedAt)));
		after = afterNewest(bodies[0]);
	}

	agent.destroy();
	await session.quit();
	return times;
}

/** @param {{text: string} | undefined} answer a list */
function afterNewest(answer) {
	/** @type {Array<{id: string}>} */
	const [newest] = JSON.parse(answer?.text ?? '[]');
	return newest ? `&after=${newest.id}` : '';
}

/**
 * Reads one page of a list.
 * @param {string} url
 * @param {string} key
 * @param {number} [rows] expected number of rows
 * @returns {Promise<number>} milliseconds
 */
export async function listPage(url, key, rows = 20) {
	const askedAt = performance.now();
	const {text, answeredAt} = await get(url, key);
	const found = JSON.parse(text).length;
	if (found !== rows) {
		throw new Error(`${url} answered with ${found} rows: ${text.slice(0, 200)}`);
	}

	return answeredAt - askedAt;
}

/**
 * @param {string} url
 * @param {string} key
 * @param {http.Agent} [agent]
 * @returns {Promise<{text: string, answeredAt: number}>}
 */
export function get(url, key, agent) {
	return new Promise((resolve, reject) => {
		const request = http.get(url, {...(agent && {agent}), headers: {'x-api-key': key}}, response => {
			let text = '';
			response.setEncoding('utf8').on('data', chunk => {
				text += chunk;
			});
			response.on('end', () => resolve({text, answeredAt: performance.now()}));
		});
		request.on('error', reject);
	});
}
