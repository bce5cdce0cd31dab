import {setTimeout as sleep} from 'node:timers/promises';
import {figureAlone, inUnit} from '../../figures.js';
import {inBrowser, linkTo, messageRows} from '../../load/browser.js';
import {notedBy, probePage} from '../../load/page-probe.js';
import {sendSteadily} from '../../load/smtp-load.js';
import {startTinbox} from '../../servers/start.js';
import {percentile} from '../../statistics.js';

const mails = 5000;
const perSecond = 200;

/**
 * Responsiveness of the page for a reader during much mail.
 * @param {(text: string) => void} progress
 * @returns {Promise<import('../../run.js').Figure[]>}
 */
export async function storm(progress) {
	const tinbox = await startTinbox();
	try {
		return await inBrowser(async page => {
			await probePage(page);
			await page.goto(await linkTo(tinbox));
			await sendSteadily(tinbox.smtp, {mails: 10, perSecond, recipientOf: () => tinbox.to});
			await messageRows(page).nth(9).waitFor();
			await notedBy(page);
			const sending = sendSteadily(tinbox.smtp, {mails, perSecond, recipientOf: () => tinbox.to});
			const acts = await readWhile(page, sending);
			await page.getByText(`${(mails + 10).toLocaleString('en')} messages`, {exact: true}).waitFor();
			const {tasks, answers, frames} = await notedBy(page);
			progress(`${mails} mails: ${tasks.length} long tasks, ${answers.length} of ${acts} answers took 16 ms or more`);
			progress(`frames: p50 ${percentile(frames, 0.5).toFixed(0)} ms, p99 ${percentile(frames, 0.99).toFixed(0)} ms`);
			const what = `page while ${mails} mails come at ${perSecond} a second`;
			const show = inUnit('ms');
			const goal = {atMost: 100};
			return [
				figureAlone(`${what}: longest task`, {value: Math.max(0, ...tasks), show, goal}),
				figureAlone(`${what}: longest answer to a key or click`, {value: Math.max(0, ...answers), show, goal}),
			];
		});
	} finally {
		await tinbox.stop();
	}
}

/**
 * Opens messages by keys and clicks until `done` resolves. Returns their number.
 * @param {import('playwright-core').Page} page
 * @param {Promise<void>} done
 */
async function readWhile(page, done) {
	let isDone = false;
	const ending = done.finally(() => {
		isDone = true;
	});
	let acts = 0;
	for (; !isDone; acts++) {
		await (acts % 2 === 0
			? messageRows(page)
					.nth(acts % 7)
					.click()
			: page.keyboard.press('j'));
		await sleep(250);
	}

	await ending;
	return acts;
}
