import {setTimeout as sleep} from 'node:timers/promises';
import {openMany, write} from '../load/many-connections.js';
import {assertOpenFiles} from '../load/open-files.js';
import {get, wakeUpTimes} from '../load/poll-load.js';
import {mailOf, sendOneShot} from '../load/smtp-load.js';
import {residentMegabytes} from '../memory.js';
import {createAccount, startBareHttp, startTinbox} from '../servers/start.js';
import {median} from '../statistics.js';

const count = 10_000;

/**
 * 10,000 open long polls: what they cost in memory beside a bare node:http that holds as many requests, and how soon
 * one more is answered among them.
 * @type {import('../run.js').Bench}
 */
export async function polls({runs, progress}) {
	assertOpenFiles(count);
	/** @type {{tinbox: number[], bare: number[], alone: number[], among: number[], all: number[]}} */
	const of = {tinbox: [], bare: [], alone: [], among: [], all: []};
	for (let run = 0; run < runs; run++) {
		of.bare.push(await holdInBareHttp());
		const {megabytes, alone, among, all} = await holdInTinbox();
		of.tinbox.push(megabytes);
		of.alone.push(alone);
		of.among.push(among);
		of.all.push(all);
		progress(`tinbox ${megabytes.toFixed(0)} MB, bare node:http ${of.bare.at(-1)?.toFixed(0)} MB`);
		progress(`wake-up alone ${alone.toFixed(2)} ms, among them ${among.toFixed(2)} ms, all in ${all.toFixed(0)} ms`);
	}

	const ms = (/** @type {number} */ value) => `${value.toFixed(2)} ms`;
	return [
		{
			what: '10,000 open long polls: memory for them',
			tinbox: `${median(of.tinbox).toFixed(0)} MB`,
			peer: `bare node:http ${median(of.bare).toFixed(0)} MB`,
			ratio: median(of.tinbox) / median(of.bare),
			goal: {atMost: 1.3},
		},
		{
			what: '10,000 open long polls: 250 to the answer of another',
			tinbox: ms(median(of.among)),
			peer: `without them ${ms(median(of.alone))}`,
			ratio: median(of.among) / median(of.alone),
			goal: {atMost: 1.2},
		},
		{
			what: '10,000 open long polls: one mail answers them all',
			tinbox: `${median(of.all).toFixed(0)} ms`,
			value: median(of.all),
		},
	];
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

async function holdInTinbox() {
	const server = await startTinbox();
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
	await sendOneShot(server.smtp, {to: inbox.email_address, mail: mailOf(2048), mails: 1});
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
