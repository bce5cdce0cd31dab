import {once} from 'node:events';
import net from 'node:net';
import {inUnit} from '../figures.js';
import {mailOf, sendReused, sendSideBySide} from '../load/smtp-load.js';
import {atRest, cpuMs} from '../process.js';
import {assertHolds, post, startTinbox} from '../servers/start.js';
import {median, percentile} from '../statistics.js';
import {rotated} from '../turns.js';

const turns = 7;
const warmUps = 6;
const load = {mail: mailOf(2048), mails: 2000, sessions: 10};
const stages = ['mail', 'rcpt', 'data', 'end'];
const perSecond = inUnit('/s');
const ms = inUnit('ms', 2);

/** Number of sessions in the tarpit, and of mails that others send meanwhile. */
const tarpitted = 500;
const meanwhile = {mail: load.mail, mails: 1000, clients: 5, isReused: true};

/**
 * @typedef {import('../servers/start.js').Tinbox} Tinbox
 *
 * @typedef {object} Cost
 * @property {number} rate mails a second
 * @property {number} cpu milliseconds of CPU time a mail
 */

/**
 * The cost of faults: mail to an inbox with 100 faults that do not match, without faults and, if given, in another build, in
 * turns; and the delay of other senders while 500 sessions get their replies byte by byte.
 * @type {import('../run.js').Bench}
 */
export async function faults({progress, other}) {
	/** @type {Tinbox[]} */
	const servers = [];
	try {
		const [past, none] = [await startTinbox(), await startTinbox()];
		servers.push(past, none, ...(other ? [await startTinbox({build: other})] : []));
		for (let index = 0; index < 100; index++) {
			await addFault(past, {
				stage: stages[index % stages.length],
				match: {from: `nobody-${index}@`},
				reply: '451 4.3.0 No',
			});
		}

		const [ours = [], without = [], others] = await measureCosts(servers, progress);
		return [
			...compare('past 100 faults that do not match', ours, 'none', without, 0.05),
			...(other && others ? compare('without faults', without, other.name, others, 0.03) : []),
			await measureTarpit(none, progress),
		];
	} finally {
		await Promise.all(servers.map(server => server.stop()));
	}
}

/**
 * @param {readonly Tinbox[]} servers
 * @param {(text: string) => void} progress
 * @returns {Promise<Cost[][]>} costs by server and turn
 */
async function measureCosts(servers, progress) {
	/** @type {Map<Tinbox, Cost[]>} */
	const costs = new Map(servers.map(server => [server, []]));
	for (let turn = -warmUps; turn < turns; turn++) {
		for (const server of rotated(servers, turn + warmUps)) {
			const before = await cpuMs(server.pid);
			const rate = await sendReused(server.smtp, {...load, recipients: server.recipients});
			await atRest(server.pid);
			if (turn >= 0) {
				costs.get(server)?.push({rate, cpu: ((await cpuMs(server.pid)) - before) / load.mails});
			}
		}

		if (turn >= 0) {
			const newest = [...costs.values()].flatMap(own => own.slice(-1));
			progress(newest.map(({rate, cpu}) => `${perSecond(rate)}, CPU ${ms(cpu)} a mail`).join(' | '));
		}
	}

	for (const server of servers) {
		await assertHolds(server, (warmUps + turns) * load.mails);
	}

	return [...costs.values()];
}

/**
 * @param {string} what
 * @param {readonly Cost[]} ours
 * @param {string} peer
 * @param {readonly Cost[]} theirs
 * @param {number} share maximum additional cost as a fraction
 * @returns {import('../run.js').Figure[]}
 */
function compare(what, ours, peer, theirs, share) {
	const of = (/** @type {keyof Cost} */ measure, /** @type {(value: number) => string} */ show) => {
		const valuesOf = (/** @type {readonly Cost[]} */ costs) => costs.map(cost => cost[measure]);
		const ratios = ours.map((cost, turn) => cost[measure] / (theirs[turn]?.[measure] ?? Number.NaN));
		const [tinbox, other] = [show(median(valuesOf(ours))), `${peer} ${show(median(valuesOf(theirs)))}`];
		return {tinbox, peer: other, ratio: median(ratios)};
	};
	return [
		{what: `2 KB mails ${what}`, ...of('rate', perSecond), goal: {atLeast: 1 - share}},
		{what: `CPU time of each, ${what}`, ...of('cpu', ms), goal: {atMost: 1 + share}},
	];
}

/**
 * @param {Tinbox} server
 * @param {(text: string) => void} progress
 * @returns {Promise<import('../run.js').Figure>}
 */
async function measureTarpit(server, progress) {
	const {smtp, recipients} = server;
	await addFault(server, {stage: 'rcpt', match: {from: 'tarpitted@'}, byte_delay_ms: 500});
	const before = await worstOfOthers(smtp, recipients);
	const clients = await Promise.all(Array.from({length: tarpitted}, () => enterTarpit(smtp, recipients[0] ?? '')));
	const during = await worstOfOthers(smtp, recipients);
	progress(`p99 of others: ${ms(before)} before, ${ms(during)} beside ${tarpitted} tarpitted sessions`);
	for (const client of clients) {
		client.destroy();
	}

	return {
		what: `p99 of a mail beside ${tarpitted} tarpitted sessions`,
		tinbox: ms(during),
		peer: `${ms(before)} without them, and 10 ms`,
		ratio: during / (before + 10),
		goal: {atMost: 1},
	};
}

/**
 * @param {Tinbox['smtp']} smtp
 * @param {readonly string[]} recipients
 */
async function worstOfOthers(smtp, recipients) {
	const rounds = [];
	for (let round = 0; round < 3; round++) {
		rounds.push(percentile((await sendSideBySide(smtp, {...meanwhile, recipients})).times, 0.99));
	}

	return median(rounds);
}

/**
 * Opens a session and waits for the first byte of the reply to RCPT.
 * @param {Tinbox['smtp']} smtp
 * @param {string} to
 */
async function enterTarpit({host, port}, to) {
	const socket = net.connect({host, port});
	let received = '';
	socket.setEncoding('latin1').on('data', text => {
		received += text;
	});
	socket.write(`EHLO bench.test\r\nMAIL FROM:<tarpitted@sender.test>\r\nRCPT TO:<${to}>\r\n`);
	while (!/Accepted\r\n\d/.test(received)) {
		await once(socket, 'data');
	}

	// Reading further replies would add load to this process, which measures others.
	return socket.pause();
}

/**
 * @param {Tinbox} server
 * @param {unknown} fault
 */
async function addFault({url, key, inboxId}, fault) {
	await post(`${url}/inboxes/${inboxId}/faults`, {'x-api-key': key}, fault);
}
