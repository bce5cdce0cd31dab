import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {listPage} from '../load/list-page.js';
import {mailOf, sendReused} from '../load/smtp-load.js';
import {residentMegabytes} from '../memory.js';
import {startTinbox} from '../servers/start.js';
import {median, percentile} from '../statistics.js';

const stored = 100_000;
const batch = {mail: mailOf(2048), mails: 2000, sessions: 10};

/**
 * A daemon with 100,000 stored messages: its start, its memory, a page of a list, and what the next mail costs.
 * @type {import('../run.js').Bench}
 */
export async function storedMessages({progress}) {
	const home = await mkdtemp(path.join(tmpdir(), 'tinbox-bench-stored-'));
	const first = await startTinbox(home);
	const {inboxId, key} = first;
	for (let sent = 0; sent < stored; sent += 10_000) {
		await sendReused(first.smtp, {...batch, to: first.to, mails: 10_000});
		progress(`${sent + 10_000} stored`);
	}

	await first.stop();

	const startedAt = performance.now();
	const full = await startTinbox(home);
	const startMs = performance.now() - startedAt;
	const memory = await residentMegabytes(full.pid);
	const pages = [];
	for (let page = 1; page <= 200; page++) {
		pages.push(await listPage(`${full.url}/inboxes/${inboxId}/messages?page=${page}`, key));
	}

	const memoryAfterPages = await residentMegabytes(full.pid);
	const rates = await compareRates(full);
	progress(`next mails ${JSON.stringify(rates)}`);
	await full.stop();
	await rm(home, {recursive: true, force: true});
	const page = percentile(pages, 0.99);
	return [
		{what: '100,000 stored: start', tinbox: `${startMs.toFixed(0)} ms`, value: startMs, goal: {atMost: 1500}},
		resident('after the start', memory),
		resident('after 200 pages of 20', memoryAfterPages),
		{
			what: '100,000 stored: list page of 20, none read before, p99',
			tinbox: `${page.toFixed(1)} ms (p50 ${median(pages).toFixed(1)} ms)`,
			value: page,
			goal: {atMost: 15},
		},
		{
			what: '100,000 stored: cost of the next mail',
			tinbox: `${Math.round(median(rates.full))}/s`,
			peer: `empty store ${Math.round(median(rates.empty))}/s`,
			ratio: median(rates.empty) / median(rates.full),
			goal: {atMost: 1.2},
		},
	];
}

/**
 * @param {string} when
 * @param {number} megabytes
 */
function resident(when, megabytes) {
	return {
		what: `100,000 stored: resident ${when}`,
		tinbox: `${megabytes.toFixed(0)} MB`,
		value: megabytes,
		goal: {atMost: 300},
	};
}

/**
 * Mails per second into the full daemon and into an empty one, taking turns; the first turn warms both up.
 * @param {import('../servers/start.js').Tinbox} full
 */
async function compareRates(full) {
	const empty = await startTinbox();
	/** @type {{full: number[], empty: number[]}} */
	const rates = {full: [], empty: []};
	for (let turn = 0; turn <= 5; turn++) {
		const ofFull = await sendReused(full.smtp, {...batch, to: full.to});
		const ofEmpty = await sendReused(empty.smtp, {...batch, to: empty.to});
		if (turn > 0) {
			rates.full.push(Math.round(ofFull));
			rates.empty.push(Math.round(ofEmpty));
		}
	}

	await empty.stop();
	return rates;
}
