import {setTimeout as sleep} from 'node:timers/promises';
import {SmtpSession} from '../../../test/helpers/smtp-session.js';
import {figureAlone, figureBeside, inUnit} from '../../figures.js';
import {inBrowser, linkTo, openUntilShown} from '../../load/browser.js';
import {mailOf} from '../../load/smtp-load.js';
import {findMailpit} from '../../servers/peers.js';
import {startTinbox} from '../../servers/start.js';
import {median} from '../../statistics.js';
import {rotated} from '../../turns.js';

const rounds = 10;
const mails = 200;
/** Subject of the newest mail, which is first in every list. */
const newest = `Mail ${mails} of ${mails}`;

const ms = inUnit('ms');
const kb = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(0)} kB`;

/** @typedef {{name: string, address: () => Promise<string>, times: number[], bytes: number[]}} Opened */

/**
 * Time from opening a URL to the list of mails in a browser without a cache, compared with Mailpit with the same mails.
 * @param {(text: string) => void} progress
 * @returns {Promise<import('../../run.js').Figure[]>}
 */
export async function coldOpen(progress) {
	const startMailpit = await findMailpit();
	const tinbox = await startTinbox();
	const mailpit = await startMailpit?.();
	try {
		for (const {smtp, recipients} of mailpit ? [tinbox, mailpit] : [tinbox]) {
			await fill(smtp, recipients[0] ?? '');
		}

		const ours = opened(tinbox.name, () => linkTo(tinbox));
		const theirs = mailpit && opened(mailpit.name, async () => `http://127.0.0.1:${mailpit.httpPort}/`);
		for (let round = 0; round < rounds; round++) {
			for (const place of rotated(theirs ? [ours, theirs] : [ours], round)) {
				await open(place);
			}
		}

		progress(`tinbox ${tell(ours)}`);
		if (!theirs) {
			return [figureAlone(what.shown, {value: median(ours.times), show: ms, goal: {atMost: 1000}})];
		}

		progress(`Mailpit ${tell(theirs)}`);
		const peer = theirs.name;
		return [
			{...figureBeside(what.shown, {ours: median(ours.times), peer, theirs: median(theirs.times), show: ms})},
			figureAlone(what.alone, {value: median(ours.times), show: ms, goal: {atMost: 1000}}),
			figureBeside(what.bytes, {
				ours: median(ours.bytes),
				peer,
				theirs: median(theirs.bytes),
				show: kb,
				goal: {atMost: 1},
			}),
		];
	} finally {
		await tinbox.stop();
		await mailpit?.stop();
	}
}

const what = {
	shown: `${mails} mails in a browser: cold open to the list`,
	alone: `${mails} mails in a browser: cold open to the list, at most 1 s`,
	bytes: `${mails} mails in a browser: bytes of a cold open`,
};

/**
 * @param {string} name
 * @param {() => Promise<string>} address
 * @returns {Opened}
 */
function opened(name, address) {
	return {name, address, times: [], bytes: []};
}

/** @param {Opened} place */
async function open(place) {
	const address = await place.address();
	await inBrowser(async (page, bytes) => {
		place.times.push(await openUntilShown(page, address, newest));
		// Includes data that is loaded after the list.
		await sleep(500);
		place.bytes.push(bytes());
	});
}

/** @param {Opened} place */
function tell({times, bytes}) {
	return `${times.map(time => time.toFixed(0)).join(', ')} ms; ${kb(median(bytes))}`;
}

/**
 * @param {{host: string, port: number}} address
 * @param {string} to
 */
async function fill(address, to) {
	const session = await SmtpSession.open(address);
	for (let number = 1; number <= mails; number++) {
		await session.send('bench@sender.test', to, mailOf(2048, `Mail ${number} of ${mails}`));
	}

	await session.quit();
}
