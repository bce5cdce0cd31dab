import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {sendSteadily} from '../load/smtp-load.js';
import {post, startTinbox} from '../servers/start.js';
import {median} from '../statistics.js';

const bin = fileURLToPath(new URL('../../bin/tinbox.js', import.meta.url));
const probe = fileURLToPath(new URL('../load/loop-probe.js', import.meta.url));
const ptyBundle = fileURLToPath(new URL('../.build/pty.js', import.meta.url));

const perSecond = 200;
const mails = 5000;
const seconds = 300;
const otherInboxes = 10;
const size = {rows: 50, columns: 200};

/** @typedef {{heldMs: number, residentMb: number, heapMb: number}} Sample measurements of one second */

/**
 * `tinbox watch` during 5,000 mails to one inbox at 200 per second, and mails to ten others for the rest of five minutes.
 * @type {import('../run.js').Bench}
 */
export async function watch({progress}) {
	const tinbox = await startTinbox();
	const log = path.join(tinbox.home, 'probe');
	const pty = await openPty({
		PATH: process.env['PATH'],
		HOME: tinbox.home,
		TINBOX_HOME: tinbox.home,
		TINBOX_API_KEY: tinbox.key,
		NODE_OPTIONS: `--import=${probe}`,
		LOOP_PROBE: log,
	});
	try {
		/** @type {string[]} */
		const others = [];
		for (let count = 0; count < otherInboxes; count++) {
			const inbox = await post(`${tinbox.url}/inboxes`, {'x-api-key': tinbox.key}, {name: `other ${count}`});
			others.push(inbox.email_address);
		}

		pty.type(`"${process.execPath}" "${bin}" watch\r`);
		await pty.shows('tinbox ● live', 'other 0');
		pty.type('Gl');
		await pty.shows('▌Messages', `No mail yet for ${tinbox.to}`);
		await sendSteadily(tinbox.smtp, {mails, perSecond, recipientOf: () => tinbox.to});
		await pty.until((/** @type {string} */ text) => /Messages .* following +5000 /.test(text));
		progress(`${mails} mails in one inbox are in the list`);
		const before = (await samplesOf(log)).length;
		const rest = perSecond * seconds - mails;
		const recipientOf = (/** @type {number} */ index) => others[index % others.length] ?? '';
		await sendSteadily(tinbox.smtp, {mails: rest, perSecond, recipientOf});
		await pty.until((/** @type {string} */ text) => text.includes(` ${perSecond * seconds} unseen`));
		pty.type('G');
		await pty.shows('Mail 0 of 5000');
		const samples = await samplesOf(log);
		const minutes = chunks(samples.slice(before), 60).map(minute => median(minute.map(({residentMb}) => residentMb)));
		progress(`resident memory by minute: ${minutes.map(mb => `${mb.toFixed(0)} MB`).join(', ')}`);
		const heaps = chunks(samples.slice(before), 60).map(minute => Math.min(...minute.map(({heapMb}) => heapMb)));
		progress(`least heap by minute: ${heaps.map(mb => `${mb.toFixed(0)} MB`).join(', ')}`);
		const held = samples.slice(2).map(({heldMs}) => heldMs);
		const [first = 0, last = 0] = [minutes[0], minutes.at(-1)];
		return [
			maxFrame('longest frame of watch, 5,000 mails at 200 a second', held.slice(0, before)),
			maxFrame('longest frame of watch in the minutes after', held.slice(before)),
			{
				what: 'memory of watch, fifth minute beside the second',
				tinbox: `${last.toFixed(0)} MB`,
				peer: `second minute ${first.toFixed(0)} MB`,
				ratio: last / first,
				goal: {atMost: 1.1},
			},
		];
	} finally {
		await pty.close();
		await tinbox.stop();
	}
}

/**
 * @param {string} what
 * @param {number[]} held
 */
function maxFrame(what, held) {
	const value = Math.max(...held);
	return {what, tinbox: `${value.toFixed(0)} ms, usually ${median(held).toFixed(0)} ms`, value, goal: {atMost: 100}};
}

/** Bundles the pseudo-terminal of the tests, which is written in TypeScript, and opens it.
 * @param {NodeJS.ProcessEnv} env */
async function openPty(env) {
	await build({
		entryPoints: [fileURLToPath(new URL('../../test/helpers/pty.ts', import.meta.url))],
		outfile: ptyBundle,
		bundle: true,
		packages: 'external',
		format: 'esm',
		platform: 'node',
	});
	/** @type {typeof import('../../test/helpers/pty.js')} */
	const {Pty} = await import(ptyBundle);
	return Pty.open({...size, cwd: env['HOME'] ?? '', env});
}

/**
 * @param {string} log
 * @returns {Promise<Sample[]>}
 */
async function samplesOf(log) {
	return (await readFile(log, 'utf8'))
		.trim()
		.split('\n')
		.map(line => JSON.parse(line));
}

/**
 * @template T
 * @param {T[]} items
 * @param {number} length
 * @returns {T[][]}
 */
function chunks(items, length) {
	return items.length <= length ? [items] : [items.slice(0, length), ...chunks(items.slice(length), length)];
}
