import {rm} from 'node:fs/promises';
import {figureAlone, figureBeside, inUnit} from '../figures.js';
import {listPage} from '../load/api-load.js';
import {mailOf, sendReused} from '../load/smtp-load.js';
import {residentMegabytes} from '../process.js';
import {startTinbox, temporary, thisBuild} from '../servers/start.js';
import {median, percentile} from '../statistics.js';
import {rotated} from '../turns.js';

const stored = 100_000;
const starts = 3;
const batch = {mail: mailOf(2048), mails: 2000, sessions: 10};
const ms = inUnit('ms', 1);
const mb = inUnit('MB');

const perMail = inUnit('ms', 3);

/**
 * @typedef {object} Costs
 * @property {number} start milliseconds
 * @property {number} memory megabytes
 * @property {number} memoryAfterPages megabytes
 * @property {number} page milliseconds, p99
 * @property {number} full milliseconds of the next mail
 * @property {number} empty milliseconds of a mail to an empty daemon
 */

/** Figures with an absolute goal. */
const limited = /** @type {const} */ ([
	{name: 'start', what: '100,000 stored: start', show: ms, atMost: 1500},
	{name: 'memory', what: '100,000 stored: resident after the start', show: mb, atMost: 300},
	{name: 'memoryAfterPages', what: '100,000 stored: resident after 200 pages of 20', show: mb, atMost: 300},
	{name: 'page', what: '100,000 stored: list page of 20, none read before, p99', show: ms, atMost: 15},
]);
const nextMail = '100,000 stored: cost of the next mail, 10 connections';

/**
 * A daemon with 100,000 stored messages: start, memory, a list page, and the cost of the next mail.
 * @type {import('../run.js').Bench}
 */
export async function storedMessages({progress, other}) {
	const stores = [];
	for (const build of [thisBuild, ...(other ? [other] : [])]) {
		stores.push(await fill(build, progress));
	}

	for (let round = 0; round < starts; round++) {
		for (const {build, home, startTimes} of rotated(stores, round)) {
			const startedAt = performance.now();
			const server = await startTinbox({build, home});
			startTimes.push(performance.now() - startedAt);
			await server.stop();
		}
	}

	const costs = [];
	for (const store of stores) {
		costs.push(await measure(store));
		progress(`${store.build.name}: ${JSON.stringify(costs.at(-1))}`);
		await rm(store.home, {recursive: true, force: true});
	}

	const [ours, theirs] = costs;
	if (!ours) {
		return [];
	}

	return [...rowsOf(ours), ...(other && theirs ? rowsBeside(other.name, ours, theirs) : [])];
}

/** @param {Costs} ours */
function rowsOf(ours) {
	return [
		...limited.map(({name, what, show, atMost}) => figureAlone(what, {value: ours[name], show, goal: {atMost}})),
		figureBeside(nextMail, {
			ours: ours.full,
			peer: 'empty store',
			theirs: ours.empty,
			show: perMail,
			goal: {atMost: 1.2},
		}),
	];
}

/**
 * @param {string} peer another build
 * @param {Costs} ours
 * @param {Costs} theirs
 */
function rowsBeside(peer, ours, theirs) {
	return [...limited, {name: /** @type {const} */ ('full'), what: nextMail, show: perMail}].map(({name, what, show}) =>
		figureBeside(what, {ours: ours[name], peer, theirs: theirs[name], show, goal: {atMost: 1.1}}),
	);
}

/**
 * @typedef {object} Store
 * @property {import('../servers/start.js').Build} build
 * @property {string} home
 * @property {{inboxId: string, key: string}} inbox
 * @property {number[]} startTimes
 */

/**
 * @param {import('../servers/start.js').Build} build
 * @param {(text: string) => void} progress
 * @returns {Promise<Store>}
 */
async function fill(build, progress) {
	const home = await temporary('stored');
	const {smtp, recipients, inboxId, key, stop} = await startTinbox({build, home});
	for (let sent = 0; sent < stored; sent += 10_000) {
		await sendReused(smtp, {...batch, recipients, mails: 10_000});
		progress(`${build.name}: ${sent + 10_000} stored`);
	}

	await stop();
	return {build, home, inbox: {inboxId, key}, startTimes: []};
}

/**
 * @param {Store} store
 * @returns {Promise<Costs>}
 */
async function measure({build, home, inbox: {inboxId, key}, startTimes}) {
	const server = await startTinbox({build, home});
	const memory = await residentMegabytes(server.pid);
	const pages = [];
	for (let page = 1; page <= 200; page++) {
		pages.push(await listPage(`${server.url}/inboxes/${inboxId}/messages?page=${page}`, key));
	}

	const memoryAfterPages = await residentMegabytes(server.pid);
	const next = await measureNextMails(server, build);
	await server.stop();
	return {start: median(startTimes), memory, memoryAfterPages, page: percentile(pages, 0.99), ...next};
}

/**
 * Milliseconds of a mail to a full and to an empty daemon, in turns. The first turn is a warm-up.
 * @param {import('../servers/start.js').Tinbox} server
 * @param {import('../servers/start.js').Build} build
 */
async function measureNextMails(server, build) {
	const emptyServer = await startTinbox({build});
	/** @type {number[]} */
	const full = [];
	/** @type {number[]} */
	const empty = [];
	for (let turn = 0; turn <= 5; turn++) {
		for (const [times, {smtp, recipients}] of /** @type {const} */ ([
			[full, server],
			[empty, emptyServer],
		])) {
			const rate = await sendReused(smtp, {...batch, recipients});
			times.push(...(turn > 0 ? [1000 / rate] : []));
		}
	}

	await emptyServer.stop();
	return {full: median(full), empty: median(empty)};
}
