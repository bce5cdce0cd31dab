import {mkdir} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {execa} from 'execa';
import {SmtpSession} from '../../helpers/smtp-session.js';

/**
 * @typedef {import('./kill-loop.js').CrashedDaemon} CrashedDaemon
 * @typedef {import('./kill-loop.js').Inbox} Inbox
 *
 * @typedef {object} Fills
 * @property {number} fills
 * @property {number} acknowledged mails answered with 250
 * @property {number} misanswered rejections other than 452
 * @property {number} lost acknowledged mails that are not listed with their subject on the full disk
 * @property {number} unfound acknowledged mails that a filter by subject does not find
 * @property {number} undeletable messages that could not be deleted on the full disk
 * @property {number} stuck fills after which no mail was accepted although all messages were deleted
 * @property {number} unstarted failed starts on the full disk, which end the suite
 */

/** Timeout for reclaiming the space of deleted messages. */
const patienceMs = 20_000;

/**
 * Runs the work with the data folder on a separate file system of 1 MiB. Skipped without permission to mount.
 * @template T
 * @param {string} home
 * @param {() => Promise<T>} work
 * @returns {Promise<T | {skipped: string}>}
 */
export async function onSmallDisk(home, work) {
	const folder = path.join(home, 'data');
	await mkdir(folder, {recursive: true});
	const {exitCode, stderr} = await execa('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', folder], {
		reject: false,
	});
	if (exitCode !== 0) {
		return {skipped: `a file system of 1 MiB cannot be mounted here: ${stderr || 'there is no mount'}`};
	}

	try {
		return await work();
	} finally {
		await execa('umount', [folder]);
	}
}

/**
 * Repeatedly fills the disk with mail, kills the daemon and deletes all messages on the full disk.
 * @param {() => Promise<CrashedDaemon>} start restarts the daemon with files on a small disk
 * @param {number} fills
 * @param {(text: string) => void} [progress]
 * @returns {Promise<Fills>}
 */
export async function fillDisk(start, fills, progress = () => {}) {
	const counts = {
		fills: 0,
		acknowledged: 0,
		misanswered: 0,
		lost: 0,
		unfound: 0,
		undeletable: 0,
		stuck: 0,
		unstarted: 0,
	};
	let daemon = await start();
	const inbox = await daemon.createInbox();
	for (let fill = 1; fill <= fills; fill++) {
		const {acknowledged, refusal} = await sendUntilRefused(daemon, inbox, fill);
		await daemon.kill();
		const next = await start().catch(() => undefined);
		if (!next) {
			return {...counts, unstarted: 1};
		}

		daemon = next;
		const found = await daemon.messages(inbox);
		const subjects = new Set(found.map(({subject}) => subject));
		counts.fills++;
		counts.acknowledged += acknowledged.length;
		counts.misanswered += refusal.includes('452 ') ? 0 : 1;
		counts.lost += acknowledged.filter(subject => !subjects.has(subject)).length;
		counts.unfound += await unfound(daemon, inbox, acknowledged);
		for (const {id} of found) {
			await daemon.deleteMessage(inbox, id).catch(() => counts.undeletable++);
		}

		counts.stuck += (await isAcceptedAgain(daemon, inbox)) ? 0 : 1;
		progress(JSON.stringify(counts));
	}

	await daemon.kill();
	return counts;
}

/**
 * Sends mails with unique subjects until one is rejected.
 * @param {CrashedDaemon} daemon
 * @param {Inbox} inbox
 * @param {number} fill
 */
async function sendUntilRefused({smtp}, {address}, fill) {
	// Some fills end with the last page of the disk, others with no room for a large mail.
	const text = 'A line of a mail.\r\n'.repeat(fill % 2 === 0 ? 10 : 5000);
	/** @type {string[]} */
	const acknowledged = [];
	const session = await SmtpSession.open(smtp);
	try {
		for (let count = 0; ; count++) {
			const subject = `<fill ${fill}, mail ${count}>`;
			await session.send('sender@crash.test', address, `Subject: ${subject}\r\n\r\n${text}`);
			acknowledged.push(subject);
		}
	} catch (error) {
		return {acknowledged, refusal: String(error)};
	}
}

/**
 * Number of subjects that a filter does not find.
 * @param {CrashedDaemon} daemon
 * @param {Inbox} inbox
 * @param {readonly string[]} subjects
 */
async function unfound(daemon, inbox, subjects) {
	let count = 0;
	for (const subject of subjects) {
		const found = await daemon.messages(inbox, subject);
		count += found.length === 1 ? 0 : 1;
	}

	return count;
}

/**
 * @param {CrashedDaemon} daemon
 * @param {Inbox} inbox
 */
async function isAcceptedAgain({smtp}, {address}) {
	for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(50)) {
		const session = await SmtpSession.open(smtp);
		try {
			await session.send('sender@crash.test', address, 'Subject: again\r\n\r\nAgain.\r\n');
			return true;
		} catch {
			// Space is not reclaimed yet.
		} finally {
			await session.quit();
		}
	}

	return false;
}
