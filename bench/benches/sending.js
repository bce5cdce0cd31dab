import {setTimeout as sleep} from 'node:timers/promises';
import {figureAlone, figureBeside, inUnit} from '../figures.js';
import {get} from '../load/api-load.js';
import {HttpSession, requestRate, sesRequest} from '../load/send-load.js';
import {atRest, residentMegabytes} from '../process.js';
import {findSesLocal} from '../servers/peers.js';
import {assertHolds, startTinbox} from '../servers/start.js';
import {median, percentile} from '../statistics.js';
import {rotated} from '../turns.js';

const turns = 5;
const load = {requests: 1500, connections: 10};
/** Node.js compiles the code during the first thousands of requests. */
const warmUp = {requests: 6000, connections: 10};
const mailBytes = 2048;

/** Number of mails in a new server before its memory is measured. */
const kept = 5000;

const waits = {rounds: 200, warmUp: 20};

/**
 * @typedef {object} Side a server with the API of SES
 * @property {import('../servers/start.js').Server} server
 * @property {{host: string, port: number}} address
 * @property {Buffer} request
 */

/**
 * A sending API compared with aws-ses-v2-local: requests per second, memory after 5,000 mails, and the time from a request to
 * the response of a wait. tinbox writes mail to disk before it responds; aws-ses-v2-local keeps it in memory.
 * @type {import('../run.js').Bench}
 */
export async function sending({runs, progress}) {
	const startPeer = await findSesLocal();
	const starts = [startOurs, ...(startPeer ? [() => startPeers(startPeer)] : [])];
	/** @type {number[][]} */
	const rates = starts.map(() => []);
	/** @type {number[][]} */
	const memory = starts.map(() => []);
	/** @type {number[]} */
	const times = [];
	for (let run = 0; run < runs; run++) {
		await compareMemory(starts, memory);
		await compareRates(starts, run, rates);
		times.push(...(await waitTimes()));
		const shown = rates.map(all => perSecond(median(all))).join(' beside ');
		progress(`${shown}, memory ${memory.map(all => mb(median(all))).join(' beside ')}, wait p50 ${ms(median(times))}`);
	}

	const [ours = [], theirs] = rates;
	const [ourMemory = [], theirMemory] = memory;
	const what = `requests a second by the API of SES, ${load.connections} connections`;
	return [
		theirs
			? {
					...beside(what, ours, theirs, perSecond),
					ratio: median(ours.map((rate, turn) => rate / (theirs[turn] ?? Number.NaN))),
					goal: {atLeast: 3},
				}
			: figureAlone(what, {value: median(ours), show: perSecond}),
		theirMemory
			? beside(`memory after ${kept} mails`, ourMemory, theirMemory, mb)
			: figureAlone(`memory after ${kept} mails`, {value: median(ourMemory), show: mb}),
		figureAlone('request by the API of SES to answered wait, p50', {
			value: median(times),
			show: ms,
			goal: {atMost: 10},
		}),
		figureAlone('request by the API of SES to answered wait, p99', {value: percentile(times, 0.99), show: ms}),
	];
}

const perSecond = inUnit('/s');
const mb = inUnit('MB');
const ms = inUnit('ms', 2);

/**
 * @param {string} what
 * @param {readonly number[]} ours
 * @param {readonly number[]} theirs
 * @param {(value: number) => string} show
 */
function beside(what, ours, theirs, show) {
	return figureBeside(what, {ours: median(ours), peer: 'aws-ses-v2-local', theirs: median(theirs), show});
}

/** @returns {Promise<Side>} */
async function startOurs() {
	return sideOf(await startTinbox());
}

/** @param {import('../servers/start.js').Tinbox} server */
async function sideOf(server) {
	const {url, key, inboxId, to} = server;
	const response = await fetch(`${url}/inboxes/${inboxId}/credentials`, {headers: {'x-api-key': key}});
	const {send_key: sendKey} = /** @type {{send_key: string}} */ (await response.json());
	const {hostname, port, host} = new URL(url);
	const request = sesRequest({host, path: '/send/ses', key: sendKey, to, bytes: mailBytes});
	return {server, address: {host: hostname, port: Number(port)}, request};
}

/**
 * @param {import('../servers/peers.js').StartPeer} start
 * @returns {Promise<Side>}
 */
async function startPeers(start) {
	const server = await start();
	const address = {host: server.smtp.host, port: server.httpPort};
	const [to = ''] = server.recipients;
	const request = sesRequest({host: `${address.host}:${address.port}`, path: '', key: 'bench', to, bytes: mailBytes});
	return {server, address, request};
}

/**
 * The servers run at the same time and are measured in turns.
 * @param {ReadonlyArray<() => Promise<Side>>} starts
 * @param {number} run
 * @param {ReadonlyArray<number[]>} rates results by server, to which this run is added
 */
async function compareRates(starts, run, rates) {
	/** @type {Side[]} */
	const sides = [];
	try {
		for (const start of starts) {
			const side = await start();
			sides.push(side);
			await requestRate(side.address, {request: side.request, ...warmUp});
			await atRest(side.server.pid);
		}

		for (let turn = 0; turn < turns; turn++) {
			for (const side of rotated(sides, run + turn)) {
				rates[sides.indexOf(side)]?.push(await requestRate(side.address, {request: side.request, ...load}));
				await atRest(side.server.pid);
			}
		}

		for (const {server} of sides) {
			await assertHolds(server, warmUp.requests + turns * load.requests);
		}
	} finally {
		await Promise.all(sides.map(({server}) => server.stop()));
	}
}

/**
 * @param {ReadonlyArray<() => Promise<Side>>} starts
 * @param {ReadonlyArray<number[]>} memory results by server, to which this run is added
 */
async function compareMemory(starts, memory) {
	for (const [index, start] of starts.entries()) {
		const {server, address, request} = await start();
		try {
			await requestRate(address, {request, requests: kept, connections: load.connections});
			await assertHolds(server, kept);
			await atRest(server.pid);
			memory[index]?.push(await residentMegabytes(server.pid));
		} finally {
			await server.stop();
		}
	}
}

/** Milliseconds from the first byte of a request to the response of an open wait. */
async function waitTimes() {
	const server = await startTinbox();
	const {address, request} = await sideOf(server);
	const session = await HttpSession.open(address);
	/** @type {number[]} */
	const times = [];
	try {
		const list = `${server.url}/inboxes/${server.inboxId}/messages?limit=1&wait=30&fields=summary`;
		let after = '';
		for (let round = 0; round < waits.warmUp + waits.rounds; round++) {
			const answer = get(list + after, server.key);
			// Time for the poll to reach the daemon.
			await sleep(20);
			const askedAt = performance.now();
			await session.ask(request);
			const {text, answeredAt} = await answer;
			/** @type {Array<{id: string}>} */
			const [{id} = {id: ''}] = JSON.parse(text);
			after = `&after=${id}`;
			times.push(...(round < waits.warmUp ? [] : [answeredAt - askedAt]));
		}
	} finally {
		session.close();
		await server.stop();
	}

	return times;
}
