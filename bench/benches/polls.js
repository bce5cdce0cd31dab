import {setTimeout as sleep} from 'node:timers/promises';
import {figureAlone, figureBeside, inUnit} from '../figures.js';
import {get, wakeUpTimes} from '../load/api-load.js';
import {assertOpenFiles, openMany, write} from '../load/many-connections.js';
import {mailOf, sendOneShot} from '../load/smtp-load.js';
import {residentMegabytes} from '../process.js';
import {createAccount, startBareHttp, startTinbox, thisBuild} from '../servers/start.js';
import {median} from '../statistics.js';
import {rotated} from '../turns.js';

const count = 10_000;
const ms = inUnit('ms', 2);
const mb = inUnit('MB');

/**
 * @typedef {object} Held the cost of long polls
 * @property {number} megabytes memory for all polls
 * @property {number} alone milliseconds from a 250 to the response of a poll without the others
 * @property {number} among the same beside the others
 * @property {number} all milliseconds until one mail has ended all polls
 */

const figures = {
	megabytes: {what: '10,000 open long polls: memory for them', show: mb},
	among: {what: '10,000 open long polls: 250 to the answer of another', show: ms},
	all: {what: '10,000 open long polls: one mail answers them all', show: ms},
};

/**
 * 10,000 open long polls: their memory compared with a bare node:http server with as many open requests, and the response time
 * of one more poll.
 * @type {import('../run.js').Bench}
 */
export async function polls({runs, progress, other}) {
	assertOpenFiles(count);
	const builds = [thisBuild, ...(other ? [other] : [])];
	/** @type {number[]} */
	const bare = [];
	/** @type {Map<string, Held[]>} */
	const results = new Map(builds.map(({name}) => [name, []]));
	for (let run = 0; run < runs; run++) {
		bare.push(await holdInBareHttp());
		progress(`bare node:http ${mb(bare.at(-1) ?? 0)}`);
		for (const build of rotated(builds, run)) {
			const held = await holdInTinbox(build);
			results.get(build.name)?.push(held);
			progress(`${build.name} ${mb(held.megabytes)}, all answered in ${ms(held.all)}`);
			progress(`${build.name}: wake-up alone ${ms(held.alone)}, among them ${ms(held.among)}`);
		}
	}

	const ours = mediansOf(results.get(thisBuild.name));
	return [
		figureBeside(figures.megabytes.what, {
			ours: ours.megabytes,
			peer: 'bare node:http',
			theirs: median(bare),
			show: mb,
			goal: {atMost: 1.3},
		}),
		figureBeside(figures.among.what, {
			ours: ours.among,
			peer: 'without them',
			theirs: ours.alone,
			show: ms,
			goal: {atMost: 1.2},
		}),
		figureAlone(figures.all.what, {value: ours.all, show: ms}),
		...(other ? rowsBeside(other.name, ours, mediansOf(results.get(other.name))) : []),
	];
}

/** @param {readonly Held[]} [runs] */
function mediansOf(runs = []) {
	const of = (/** @type {keyof Held} */ name) => median(runs.map(held => held[name]));
	return {megabytes: of('megabytes'), alone: of('alone'), among: of('among'), all: of('all')};
}

/**
 * @param {string} peer another build
 * @param {Held} ours
 * @param {Held} theirs
 */
function rowsBeside(peer, ours, theirs) {
	const names = /** @type {const} */ (['megabytes', 'among', 'all']);
	return names.map(name => {
		const {what, show} = figures[name];
		return figureBeside(what, {ours: ours[name], peer, theirs: theirs[name], show, goal: {atMost: 1.1}});
	});
}

/** @returns {Promise<number>} the megabytes that 10,000 held requests take */
async function holdInBareHttp() {
	const server = await startBareHttp();
	const url = `http://127.0.0.1:${server.port}`;
	await get(`${url}/now`, '');
	const before = await residentMegabytes(server.pid);
	const many = await openMany({host: '127.0.0.1', port: server.port}, count, socket =>
		write(socket, requestOf(`${url}/v1/inboxes/some-inbox/messages?wait=60`, 'tbx_live_some-key')),
	);
	await sleep(2000);
	const after = await residentMegabytes(server.pid);
	const {held} = JSON.parse((await get(`${url}/now`, '')).text);
	assertAll('bare node:http', held);
	many.close();
	await server.stop();
	return after - before;
}

/**
 * @param {import('../servers/start.js').Build} build
 * @returns {Promise<Held>}
 */
async function holdInTinbox(build) {
	const server = await startTinbox({build});
	const {inbox, key} = await createAccount(server.url, server.dataDir);
	const rounds = {polls: 1, rounds: 50, warmUp: 10};
	await wakeUpTimes(server, rounds);
	const alone = await wakeUpTimes(server, rounds);
	const before = await residentMegabytes(server.pid);
	const {hostname: host, port} = new URL(server.url);
	const many = await openMany({host, port: Number(port)}, count, socket =>
		write(socket, requestOf(`${server.url}/inboxes/${inbox.id}/messages?wait=60`, key)),
	);
	await sleep(2000);
	const after = await residentMegabytes(server.pid);
	const among = median(await wakeUpTimes(server, rounds));
	let answered = 0;
	const allAnswered = Promise.all(
		many.sockets.map(
			socket =>
				new Promise(resolve =>
					socket.once('data', text => {
						answered += String(text).startsWith('HTTP/1.1 200 ') ? 1 : 0;
						resolve(undefined);
					}),
				),
		),
	);
	await sendOneShot(server.smtp, {recipients: [inbox.email_address], mail: mailOf(2048), mails: 1});
	const acknowledgedAt = performance.now();
	await allAnswered;
	const all = performance.now() - acknowledgedAt;
	assertAll('tinbox', answered);
	many.close();
	alone.push(...(await wakeUpTimes(server, rounds)));
	await server.stop();
	return {megabytes: after - before, alone: median(alone), among, all};
}

/**
 * @param {string} url
 * @param {string} key
 */
function requestOf(url, key) {
	const {host, pathname, search} = new URL(url);
	return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nX-API-Key: ${key}\r\nAccept: */*\r\n\r\n`;
}

/**
 * @param {string} name
 * @param {number} held
 */
function assertAll(name, held) {
	if (held !== count) {
		throw new Error(`${name} held ${held} of ${count} requests.`);
	}
}
