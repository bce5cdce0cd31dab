import {readFile, rm} from 'node:fs/promises';
import http from 'node:http';
import {mailOf, sendReused} from '../load/smtp-load.js';
import {startTinbox} from '../servers/start.js';
import {percentile} from '../statistics.js';

const stored = 100_000;

/**
 * A daemon with 100,000 stored messages: its start, its memory, a page of a list, and what the next mail costs.
 * @type {import('../run.js').Bench}
 */
export async function storedMessages({progress}) {
	const mail = mailOf(2048);
	const first = await startTinbox();
	const {smtp, to, home, key, url, inboxId} = first;
	await sendReused(smtp, {to, mail, mails: 3000, sessions: 10});
	const rateEmpty = await sendReused(smtp, {to, mail, mails: 10_000, sessions: 10});
	for (let sent = 13_000; sent < stored; sent += 10_000) {
		await sendReused(smtp, {to, mail, mails: Math.min(10_000, stored - sent), sessions: 10});
		progress(`${sent} stored`);
	}

	const rateFull = await sendReused(smtp, {to, mail, mails: 10_000, sessions: 10});
	await get(`${url}/inboxes/${inboxId}/messages?limit=1`, key);
	await first.stop();

	const startedAt = performance.now();
	const second = await startTinbox(home);
	const startMs = performance.now() - startedAt;
	const pages = [];
	for (let page = 1; page <= 200; page++) {
		const askedAt = performance.now();
		await get(`${second.url}/inboxes/${inboxId}/messages?page=${page}`, key);
		pages.push(performance.now() - askedAt);
	}

	const memory = await residentMegabytes(second.pid);
	await second.stop();
	await rm(home, {recursive: true, force: true});
	const page = percentile(pages, 0.99);
	return [
		{what: '100,000 stored: start', tinbox: `${startMs.toFixed(0)} ms`, value: startMs, goal: {atMost: 1500}},
		{what: '100,000 stored: resident', tinbox: `${memory.toFixed(0)} MB`, value: memory, goal: {atMost: 300}},
		{what: '100,000 stored: list page of 20, p99', tinbox: `${page.toFixed(1)} ms`, value: page, goal: {atMost: 15}},
		{
			what: '100,000 stored: cost of the next mail',
			tinbox: `${Math.round(rateFull)}/s`,
			peer: `empty store ${Math.round(rateEmpty)}/s`,
			ratio: rateEmpty / rateFull,
			goal: {atMost: 1.2},
		},
	];
}

/** @param {number} pid */
async function residentMegabytes(pid) {
	const status = await readFile(`/proc/${pid}/status`, 'utf8');
	return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
}

/**
 * @param {string} url
 * @param {string} key
 */
function get(url, key) {
	return new Promise((resolve, reject) => {
		http
			.get(url, {headers: {'x-api-key': key}}, response => {
				response.on('data', () => {}).on('end', () => resolve(undefined));
			})
			.on('error', reject);
	});
}
