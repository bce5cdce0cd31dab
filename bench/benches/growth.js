import {request} from 'node:http';
import {get, listPage} from '../load/api-load.js';
import {mailOf, sendReused} from '../load/smtp-load.js';
import {startTinbox} from '../servers/start.js';
import {median} from '../statistics.js';

const sizes = [100, 1000, 10_000, 100_000];
const mail = mailOf(2048);

/** Measured operations. Logarithmic growth is allowed: 2.5 times from 100 to 100,000. */
const kinds = {
	mail: {what: 'the next mail', atMost: 1.2},
	first: {what: 'the first page of a list', atMost: 2.5},
	last: {what: 'the last page of a list', atMost: 2.5},
	remove: {what: 'a delete', atMost: 2.5},
	// A search compares every subject, so its cost grows with the inbox.
	search: {what: 'a search that finds nothing', atMost: undefined},
};

/**
 * The cost of operations with 100, 1,000, 10,000 and 100,000 messages in one inbox.
 * @type {import('../run.js').Bench}
 */
export async function growth({progress}) {
	const server = await startTinbox();
	const {smtp, recipients} = server;
	await warmUp(server);
	/** @type {Array<Record<keyof typeof kinds, number>>} */
	const costs = [];
	let stored = await countOf(server);
	for (const size of sizes) {
		for (; stored < size; stored = await countOf(server)) {
			await sendReused(smtp, {recipients, mail, mails: Math.min(10_000, size - stored), sessions: 10});
		}

		costs.push(await measure(server, size));
		progress(
			`${size}: ${JSON.stringify(costs.at(-1), (_, value) => (value.toFixed ? Number(value.toFixed(3)) : value))}`,
		);
		stored = await countOf(server);
	}

	await server.stop();
	return Object.entries(kinds).map(([name, {what, atMost}]) => {
		const curve = costs.map(cost => cost[/** @type {keyof typeof kinds} */ (name)]);
		return {
			what: `${what}, at ${sizes.map(size => size.toLocaleString('en')).join(' / ')} stored`,
			tinbox: `${curve.map(ms => ms.toFixed(2)).join(' / ')} ms`,
			ratio: (curve.at(-1) ?? Number.NaN) / (curve[0] ?? Number.NaN),
			...(atMost !== undefined && {goal: {atMost}}),
		};
	});
}

/**
 * Milliseconds of each operation. Messages sent here are deleted again.
 * @param {import('../servers/start.js').Tinbox} server
 * @param {number} size messages stored
 */
async function measure(server, size) {
	const {smtp, recipients, key} = server;
	const list = `${server.url}/inboxes/${server.inboxId}/messages`;
	const rates = [];
	for (let turn = 0; turn < 5; turn++) {
		rates.push(await sendReused(smtp, {recipients, mail, mails: 100, sessions: 10}));
	}

	const times = (/** @type {number} */ count, /** @type {() => Promise<number>} */ once) => repeat(count, once);
	const lastPage = Math.floor(size / 20);
	return {
		first: median(await times(30, () => listPage(list, key))),
		last: median(await times(30, () => listPage(`${list}?page=${lastPage}`, key))),
		search: median(await times(10, () => listPage(`${list}?q=no-such-subject`, key, 0))),
		mail: 1000 / median(rates),
		remove: median(await removeNewest(list, key, 500)),
	};
}

/**
 * Deletes the newest messages.
 * @param {string} list
 * @param {string} key
 * @param {number} count a multiple of 100
 */
async function removeNewest(list, key, count) {
	const times = [];
	for (let page = 0; page < count / 100; page++) {
		/** @type {Array<{id: string}>} */
		const rows = JSON.parse((await get(`${list}?limit=100`, key)).text);
		for (const {id} of rows) {
			times.push(await remove(`${list}/${id}`, key));
		}
	}

	return times;
}

/** @param {import('../servers/start.js').Tinbox} server */
async function warmUp(server) {
	const {smtp, recipients, url, inboxId, key} = server;
	const list = `${url}/inboxes/${inboxId}/messages`;
	await sendReused(smtp, {recipients, mail, mails: 3000, sessions: 10});
	await repeat(300, () => listPage(list, key));
	await removeNewest(list, key, 3000);
}

/**
 * @param {string} url
 * @param {string} key
 * @returns {Promise<number>}
 */
function remove(url, key) {
	const startedAt = performance.now();
	return new Promise((resolve, reject) => {
		request(url, {method: 'DELETE', headers: {'x-api-key': key}}, response => {
			response.resume().on('end', () => resolve(performance.now() - startedAt));
		})
			.on('error', reject)
			.end();
	});
}

/**
 * @param {number} count
 * @param {() => Promise<number>} work
 */
async function repeat(count, work) {
	const results = [];
	for (let done = 0; done < count; done++) {
		results.push(await work());
	}

	return results;
}

/** @param {import('../servers/start.js').Tinbox} server */
async function countOf({url, inboxId, key}) {
	/** @type {{message_count: number}} */
	const {message_count: count} = JSON.parse((await get(`${url}/inboxes/${inboxId}`, key)).text);
	return count;
}
