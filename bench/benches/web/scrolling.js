import {rm} from 'node:fs/promises';
import path from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';
import {figureAlone, inUnit} from '../../figures.js';
import {inBrowser, linkTo, messageRows} from '../../load/browser.js';
import {notedBy, probePage} from '../../load/page-probe.js';
import {createAccount, end, runDaemon, temporary, thisBuild} from '../../servers/start.js';
import {percentile} from '../../statistics.js';

const count = 100_000;
const fillBundle = fileURLToPath(new URL('../../.build/fill-inbox.js', import.meta.url));

/** Slightly longer than two frames at 60 per second. */
const lateMs = 34;

/**
 * Scrolling through a very long list, from the first row to the last.
 * @param {(text: string) => void} progress
 * @returns {Promise<import('../../run.js').Figure[]>}
 */
export async function scrolling(progress) {
	const home = await temporary('scrolling');
	const place = await filledInbox(home);
	const {child, state} = await runDaemon(thisBuild.bin, home);
	try {
		return await inBrowser(async (page, bytes) => {
			await probePage(page);
			await page.goto(await linkTo({...place, url: state.url}));
			await messageRows(page).first().waitFor();
			await sleep(500);
			const before = bytes();
			await notedBy(page);
			await wheel(page);
			const wheeled = await notedBy(page);
			await drag(page);
			const dragged = await notedBy(page);
			await messageRows(page).getByText('Mail 1', {exact: true}).waitFor();
			const loaded = bytes() - before;
			const {heapMb, nodes} = await sizeOf(page);
			progress(`wheel ${tell(wheeled)}`);
			progress(`dragging ${tell(dragged)}`);
			const what = `${count} messages in a browser`;
			return [
				...figuresOf(`${what}, by wheel`, wheeled),
				...figuresOf(`${what}, dragged from first to last`, dragged),
				figureAlone(`${what}: heap of the page after it`, {value: heapMb, show: inUnit('MB', 1), goal: {atMost: 50}}),
				figureAlone(`${what}: nodes of the page after it`, {value: nodes, show: inUnit('nodes'), goal: {atMost: 5000}}),
				figureAlone(`${what}: loaded meanwhile`, {value: loaded / 1000, show: inUnit('kB')}),
			];
		});
	} finally {
		await end(child);
		await rm(home, {recursive: true, force: true});
	}
}

/**
 * @param {string} what
 * @param {import('../../load/page-probe.js').Noted} noted
 */
function figuresOf(what, {frames, tasks}) {
	const late = frames.filter(ms => ms > lateMs).length / frames.length;
	return [
		figureAlone(`${what}: frames over ${lateMs} ms`, {
			value: late * 100,
			show: inUnit('%', 1),
			goal: {atMost: 1},
		}),
		figureAlone(`${what}: longest task`, {value: Math.max(0, ...tasks), show: inUnit('ms'), goal: {atMost: 50}}),
	];
}

/** @param {import('../../load/page-probe.js').Noted} noted */
function tell({frames}) {
	const late = frames.filter(ms => ms > lateMs).length;
	return `${frames.length} frames, p50 ${percentile(frames, 0.5).toFixed(1)} ms, longest ${Math.max(...frames).toFixed(0)} ms, ${late} late`;
}

/** Creates a daemon home with a filled inbox and an API key. @param {string} home */
async function filledInbox(home) {
	await build({
		entryPoints: [fileURLToPath(new URL('../../../test/helpers/fill-inbox.ts', import.meta.url))],
		outfile: fillBundle,
		bundle: true,
		packages: 'external',
		format: 'esm',
		platform: 'node',
	});
	/** @type {typeof import('../../../test/helpers/fill-inbox.js')} */
	const {fillInbox} = await import(fillBundle);
	const {child, state} = await runDaemon(thisBuild.bin, home);
	const {key, inbox} = await createAccount(state.url, state.data_dir);
	await end(child);
	await fillInbox(path.resolve(state.data_dir), inbox.id, count);
	return {key, inboxId: inbox.id};
}

/** Scrolls by mouse wheel for some seconds. @param {import('playwright-core').Page} page */
async function wheel(page) {
	await messageRows(page).first().hover();
	for (let turns = 0; turns < 200; turns++) {
		await page.mouse.wheel(0, 600);
		await sleep(10);
	}
}

/** Scrolls to the last row in some seconds, as by dragging the scroll bar. @param {import('playwright-core').Page} page */
async function drag(page) {
	await page.evaluate(`new Promise(resolve => {
		const list = document.querySelector('[role=listbox][aria-label=Messages]');
		const [from, to, frames] = [list.scrollTop, list.scrollHeight - list.clientHeight, 240];
		let frame = 0;
		const step = () => {
			list.scrollTop = from + ((to - from) * ++frame) / frames;
			frame === frames ? resolve() : requestAnimationFrame(step);
		};
		step();
	})`);
}

/** @param {import('playwright-core').Page} page */
async function sizeOf(page) {
	const protocol = await page.context().newCDPSession(page);
	await protocol.send('HeapProfiler.collectGarbage');
	await protocol.send('Performance.enable');
	const {metrics} = await protocol.send('Performance.getMetrics');
	const of = (/** @type {string} */ wanted) => metrics.find(({name}) => name === wanted)?.value ?? Number.NaN;
	return {heapMb: of('JSHeapUsedSize') / 1_000_000, nodes: of('Nodes')};
}
