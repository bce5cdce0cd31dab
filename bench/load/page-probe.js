/**
 * What a page did in some time, in milliseconds.
 * @typedef {object} Noted
 * @property {number[]} frames from one to the next
 * @property {number[]} tasks those that held the page for 50 ms or more
 * @property {number[]} answers from a key or a click to the frame that shows what came of it; 0 for those that took less than 16 ms
 */

const probe = `
	const noted = {frames: [], tasks: [], answers: []};
	globalThis.noted = noted;
	new PerformanceObserver(list => {
		noted.tasks.push(...list.getEntries().map(({duration}) => duration));
	}).observe({type: 'longtask'});
	new PerformanceObserver(list => {
		for (const {name, duration} of list.getEntries()) {
			if (name === 'keydown' || name === 'click') {
				noted.answers.push(duration);
			}
		}
	}).observe({type: 'event', durationThreshold: 16});
	let last;
	const tick = now => {
		if (last !== undefined) {
			noted.frames.push(now - last);
		}

		last = now;
		requestAnimationFrame(tick);
	};
	requestAnimationFrame(tick);
`;

/**
 * Has a page note what it does from its next navigation on.
 * @param {import('playwright-core').Page} page
 */
export async function probePage(page) {
	await page.addInitScript(probe);
}

/**
 * What it noted since it was asked last.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<Noted>}
 */
export async function notedBy(page) {
	const text = await page.evaluate(`(() => {
		const text = JSON.stringify(noted);
		for (const list of Object.values(noted)) {
			list.length = 0;
		}
		return text;
	})()`);
	return JSON.parse(String(text));
}
