/**
 * Measurements of a page in milliseconds.
 * @typedef {object} Noted
 * @property {number[]} frames intervals between frames
 * @property {number[]} tasks durations of tasks that blocked the page for 50 ms or more
 * @property {number[]} answers times from a key or click to the next frame; 0 if below 16 ms
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
 * Starts measuring at the next navigation of a page.
 * @param {import('playwright-core').Page} page
 */
export async function probePage(page) {
	await page.addInitScript(probe);
}

/**
 * Returns the measurements since the last call.
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
