import http from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../test/helpers/smtp-session.js';
import {figureAlone, figureBeside, inUnit} from '../figures.js';
import {get, wakeUpTimes} from '../load/api-load.js';
import {mailOf} from '../load/smtp-load.js';
import {post, startTinbox, thisBuild} from '../servers/start.js';
import {median, percentile} from '../statistics.js';
import {rotated} from '../turns.js';

const polls = 100;
const rounds = 200;
const warmUp = 20;

/** On one inbox, the builds are measured in alternating blocks. */
const blocks = 5;
const together = {polls, rounds: 10, warmUp: 2};

/** @typedef {{apart: number[], together: number[]}} Times milliseconds of one build */

/**
 * Time from the 250 reply to the response of a long poll while 100 are open: each on its own inbox, as in parallel tests, and all
 * on one inbox, where one mail ends all of them.
 * @type {import('../run.js').Bench}
 */
export async function wakeUp({runs, progress, other}) {
	const builds = [thisBuild, ...(other ? [other] : [])];
	/** @type {Map<string, Times>} */
	const results = new Map(builds.map(({name}) => [name, {apart: [], together: []}]));
	for (let run = 0; run < runs; run++) {
		for (const [name, times] of await measure(builds)) {
			results.get(name)?.apart.push(...times.apart);
			results.get(name)?.together.push(...times.together);
			progress(`${name}: apart p50 ${ms(median(times.apart))}, together p50 ${ms(median(times.together))}`);
		}
	}

	const ours = results.get(thisBuild.name) ?? {apart: [], together: []};
	const theirs = other && results.get(other.name);
	return [
		...rowsOf(ours),
		...(other && theirs
			? shares.map(({name, share}) =>
					figureBeside(`${whatApart}, ${name}`, {
						ours: percentile(ours.apart, share),
						peer: other.name,
						theirs: percentile(theirs.apart, share),
						show: ms,
						goal: {atMost: 1.1},
					}),
				)
			: []),
	];
}

const ms = inUnit('ms', 2);
const whatApart = `250 to answered poll, ${polls} open`;
const shares = [
	{name: 'p50', share: 0.5, goal: {atMost: 5}},
	{name: 'p99', share: 0.99, goal: {atMost: 20}},
];

/** @param {Times} times */
function rowsOf({apart, together}) {
	return [
		...shares.map(({name, share, goal}) =>
			figureAlone(`${whatApart}, ${name}`, {value: percentile(apart, share), show: ms, goal}),
		),
		...shares.map(({name, share}) =>
			figureAlone(`250 to answered polls, all ${polls} on one inbox, ${name}`, {
				value: percentile(together, share),
				show: ms,
			}),
		),
	];
}

/**
 * @param {readonly import('../servers/start.js').Build[]} builds
 * @returns {Promise<Map<string, Times>>}
 */
async function measure(builds) {
	const servers = [];
	try {
		for (const build of builds) {
			servers.push(await startTinbox({build}));
		}

		const apart = await wakeUpsApart(servers);
		/** @type {Map<string, Times>} */
		const times = new Map(servers.map(({name}, index) => [name, {apart: apart[index] ?? [], together: []}]));
		for (let block = 0; block < blocks; block++) {
			for (const server of rotated(servers, block)) {
				times.get(server.name)?.together.push(...(await wakeUpTimes(server, together)));
			}
		}

		return times;
	} finally {
		await Promise.all(servers.map(server => server.stop()));
	}
}

/**
 * Times of each server with one poll per inbox. The servers are measured in turns.
 * @param {ReadonlyArray<import('../servers/start.js').Tinbox>} servers
 * @returns {Promise<number[][]>} milliseconds
 */
export async function wakeUpsApart(servers) {
	const sides = await Promise.all(servers.map(server => Side.open(server)));
	for (let round = 0; round < warmUp + rounds; round++) {
		for (const side of rotated(sides, round)) {
			const time = await side.measure(round);
			side.times.push(...(round < warmUp ? [] : [time]));
		}
	}

	await Promise.all(sides.map(side => side.close()));
	return sides.map(({times}) => times);
}

/** A server with a poll open on each of its inboxes. */
class Side {
	/** @type {number[]} */
	times = [];
	#server;
	#session;
	#agent = new http.Agent({keepAlive: true, maxSockets: polls});
	/** @type {Array<{address: string, url: string, answer: ReturnType<typeof get>}>} */
	#polls = [];

	/** @param {import('../servers/start.js').Tinbox} server */
	static async open(server) {
		const side = new Side(server, await SmtpSession.open(server.smtp));
		for (let count = 0; count < polls; count++) {
			const inbox = await post(`${server.url}/inboxes`, {'x-api-key': server.key}, {});
			const url = `${server.url}/inboxes/${inbox.id}/messages?wait=60&limit=1`;
			side.#polls.push({address: inbox.email_address, url, answer: side.#ask(url)});
		}

		return side;
	}

	/**
	 * @param {import('../servers/start.js').Tinbox} server
	 * @param {SmtpSession} session
	 */
	constructor(server, session) {
		this.#server = server;
		this.#session = session;
	}

	/**
	 * Sends a mail to the inbox of this round.
	 * @param {number} round
	 * @returns {Promise<number>} milliseconds from its 250 to the answer
	 */
	async measure(round) {
		const poll = this.#polls[round % polls];
		if (!poll) {
			throw new Error('There are fewer inboxes than polls.');
		}

		// Time for the previous poll to reach the daemon again.
		await sleep(20);
		await this.#session.send('bench@sender.test', poll.address, mailOf(2048, `Round ${round}`));
		const acknowledgedAt = performance.now();
		const {text, answeredAt} = await poll.answer;
		/** @type {Array<{id: string}>} */
		const [{id} = {id: ''}] = JSON.parse(text);
		poll.answer = this.#ask(`${poll.url}&after=${id}`);
		return answeredAt - acknowledgedAt;
	}

	async close() {
		// Closing the connections ends the open polls.
		await this.#session.quit();
		this.#agent.destroy();
	}

	/** @param {string} url */
	#ask(url) {
		const answer = get(url, this.#server.key, this.#agent);
		answer.catch(() => {});
		return answer;
	}
}
