import {readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import {Client} from '../client.js';
import {RawSmtp} from '../raw-smtp.js';
import {sendAndFind} from '../send-mails.js';

/** Maximum growth from the second quarter to the last quarter of the run. */
const allowed = {heapMegabytes: 20, bufferMegabytes: 20, openFiles: 20, timers: 5, diskMegabytes: 150};

/** Minimum number of mails; a run on a busy machine is extended. */
const minMails = 150;

const sizes = [300, 2000, 2000, 10_000, 100_000, 1_000_000];

/**
 * Sends and reads mail of all sizes in temporary inboxes, beside clients that disconnect during a mail, and samples the
 * resources of the daemon.
 * @param {import('../start.js').TestDaemon} daemon
 * @param {{seconds?: number, workers?: number, progress?: (text: string) => void}} options
 */
export async function soak(daemon, {seconds = 4, workers = 2, progress = () => {}} = {}) {
	const counts = {seconds, mails: 0, lost: 0, changed: 0, left: 0};
	const client = await Client.of(daemon);
	const until = performance.now() + seconds * 1000;
	const isOver = () => performance.now() >= until && counts.mails >= minMails;
	const working = Array.from({length: workers}, async () => {
		while (!isOver()) {
			const {mails, lost, refused, changed, unreadable} = await sendAndFind(daemon.smtp, client, someMails());
			counts.mails += mails;
			counts.lost += lost + refused;
			counts.changed += changed + unreadable;
			await leave(daemon);
			counts.left++;
		}
	});
	/** @type {Array<Record<keyof typeof allowed, number>>} */
	const looks = [];
	const errors = [];
	while (!isOver()) {
		await new Promise(resolve => setTimeout(resolve, (seconds * 1000) / 40));
		const {errors: newErrors, ...report} = await daemon.report();
		errors.push(...newErrors);
		looks.push({...report, diskMegabytes: (await bytesIn(daemon.dataDir)) / 1e6});
		progress(`${JSON.stringify(counts)} ${JSON.stringify(rounded(looks.at(-1)))}`);
	}

	await Promise.all(working);
	client.close();
	const quarter = Math.ceil(looks.length / 4);
	const growth = Object.entries(allowed).map(([name, limit]) => {
		const key = /** @type {keyof typeof allowed} */ (name);
		const [early, late] = [looks.slice(quarter, 2 * quarter), looks.slice(-quarter)].map(some =>
			median(some.map(look => look[key])),
		);
		return {
			name,
			early: Math.round(early ?? 0),
			late: Math.round(late ?? 0),
			isTooMuch: (late ?? 0) - (early ?? 0) > limit,
		};
	});
	const held = growth.map(({name, early, late}) => [name, `${early} → ${late}`]);
	const grown = growth.filter(({isTooMuch}) => isTooMuch).length;
	return {...counts, ...Object.fromEntries(held), grown, errors: errors.length};
}

function someMails() {
	return sizes.map((size, index) =>
		Buffer.from(`Subject: ${index}\r\n\r\n${'A line of a mail.\r\n'.repeat(size / 19)}`),
	);
}

/**
 * Disconnects in the middle of a mail.
 * @param {import('../start.js').TestDaemon} daemon
 */
async function leave({smtp}) {
	const raw = new RawSmtp(smtp);
	await raw.replies(1);
	await raw.send('EHLO x\r\nMAIL FROM:<a@sender.test>\r\n');
	raw.socket.resetAndDestroy();
}

/**
 * @param {string} folder
 * @returns {Promise<number>}
 */
async function bytesIn(folder) {
	const names = await readdir(folder, {recursive: true});
	const sizes = await Promise.all(
		names.map(name =>
			stat(path.join(folder, name)).then(
				({size}) => size,
				() => 0,
			),
		),
	);
	return sizes.reduce((sum, size) => sum + size, 0);
}

/** @param {readonly number[]} values */
function median(values) {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** @param {Record<string, number> | undefined} numbers */
function rounded(numbers = {}) {
	return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, Math.round(number)]));
}
