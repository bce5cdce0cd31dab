import {once} from 'node:events';
import {createServer} from 'node:http';
import {text} from 'node:stream/consumers';
import {SmtpSession} from '../../test/helpers/smtp-session.js';
import {mailOf} from '../load/smtp-load.js';
import {residentMegabytes} from '../process.js';
import {createAccount, post, startTinbox} from '../servers/start.js';
import {percentile} from '../statistics.js';

const endpoints = 1000;
const bursts = 20;
const sessions = 10;

/**
 * 1,000 users with an inbox and a webhook endpoint each, every tenth of which never responds, and bursts of one mail to each: time
 * from the 250 to the request at the other endpoints.
 * @type {import('../run.js').Bench}
 */
export async function webhooks({progress}) {
	const server = await startTinbox();
	const healthy = await startReceiver();
	const dead = await startDeadReceiver();
	const addresses = await inBatches(endpoints, async index => {
		const {key, inbox} = await createAccount(server.url, server.dataDir);
		await post(`${server.url}/webhooks`, {'x-api-key': key}, {url: isDead(index) ? dead.url : healthy.url});
		return inbox.email_address;
	});

	const memory = [await residentMegabytes(server.pid)];
	/** @type {number[][]} */
	const latencies = [];
	for (let burst = 0; burst < bursts; burst++) {
		const acknowledgedAt = await sendEach(server.smtp, addresses, burst);
		const expected = [...acknowledgedAt].filter((_, index) => !isDead(index));
		await healthy.until(expected.map(([subject]) => subject));
		latencies.push(expected.map(([subject, at]) => (healthy.receivedAt.get(subject) ?? Number.NaN) - at));
		memory.push(await residentMegabytes(server.pid));
		progress(`burst ${burst + 1}: p99 ${p99(latencies.at(-1)).toFixed(0)} ms, ${memory.at(-1)?.toFixed(0)} MB`);
	}

	healthy.close();
	dead.close();
	await server.stop();
	const [before = 0, afterFirst = 0] = memory;
	const after = memory.at(-1) ?? 0;
	const what = `${endpoints} endpoints, 10 % dead, a mail to each`;
	const cold = p99(latencies[0]);
	const warm = p99(latencies.slice(1).flat());
	return [
		{
			what: `${what}: healthy ones, first burst, p99`,
			tinbox: `${cold.toFixed(0)} ms`,
			value: cold,
			goal: {atMost: 1000},
		},
		{what: `${what}: healthy ones, later, p99`, tinbox: `${warm.toFixed(0)} ms`, value: warm, goal: {atMost: 1000}},
		{
			what: `${what}: resident after ${bursts} bursts`,
			tinbox: `${after.toFixed(0)} MB`,
			peer: `before ${before.toFixed(0)} MB, after one ${afterFirst.toFixed(0)} MB`,
			value: after,
			goal: {atMost: 350},
		},
	];
}

/** @param {number} index of an endpoint */
function isDead(index) {
	return index % 10 === 0;
}

/** @param {readonly number[]} [values] */
function p99(values = []) {
	return percentile(values, 0.99);
}

/**
 * Sends one mail to each address over a few connections. Returns the time of the 250 by subject.
 * @param {import('../../test/helpers/smtp-session.js').Address} smtp
 * @param {readonly string[]} addresses
 * @param {number} burst
 */
async function sendEach(smtp, addresses, burst) {
	const subjects = addresses.map((_, index) => `${burst}-${index}`);
	const acknowledgedAt = new Map(subjects.map(subject => [subject, Number.NaN]));
	const open = await Promise.all(Array.from({length: sessions}, () => SmtpSession.open(smtp)));
	let next = 0;
	await Promise.all(
		open.map(async session => {
			for (let index = next++; index < addresses.length; index = next++) {
				const subject = subjects[index] ?? '';
				await session.send('bench@sender.test', addresses[index] ?? '', mailOf(2048, subject));
				acknowledgedAt.set(subject, performance.now());
			}

			await session.quit();
		}),
	);
	return acknowledgedAt;
}

/** Starts a receiver that records the first request of each subject. */
async function startReceiver() {
	/** @type {Map<string, number>} */
	const receivedAt = new Map();
	const server = createServer(async (request, response) => {
		const at = performance.now();
		const {subject} = JSON.parse(await text(request)).message;
		receivedAt.set(subject, receivedAt.get(subject) ?? at);
		response.writeHead(200).end('ok');
	});
	return {
		...(await listening(server)),
		receivedAt,
		/** @param {readonly string[]} subjects */
		async until(subjects) {
			while (subjects.some(subject => !receivedAt.has(subject))) {
				await new Promise(resolve => setTimeout(resolve, 20));
			}
		},
	};
}

/** Starts a receiver that never responds. */
async function startDeadReceiver() {
	return listening(createServer(() => {}));
}

/** @param {import('node:http').Server} server */
async function listening(server) {
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	return {
		url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`,
		close() {
			server.close();
			server.closeAllConnections();
		},
	};
}

/**
 * @template T
 * @param {number} count
 * @param {(index: number) => Promise<T>} make
 */
async function inBatches(count, make) {
	/** @type {T[]} */
	const made = [];
	for (let first = 0; first < count; first += 20) {
		const size = Math.min(20, count - first);
		made.push(...(await Promise.all(Array.from({length: size}, (_, index) => make(first + index)))));
	}

	return made;
}
