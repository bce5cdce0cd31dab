import {sanitizeLine} from '../../lib/text/sanitize.js';
import type {Context} from '../context.js';

type Terminal = Pick<Context, 'io' | 'env'>;

const barWidth = 24;

/** Minimum interval between changes of a progress bar. */
const redrawMs = 100;

/** Shows a progress bar on stderr, if it is a terminal, while `work` runs and reports `done` of `of` items. */
export async function withProgress<T>(
	context: Terminal,
	work: (show: (text: string, done: number, of: number) => void) => Promise<T>,
): Promise<T> {
	let shownAt = Number.NEGATIVE_INFINITY;
	return withStatusLine(context, draw =>
		work((text, done, of) => {
			const now = performance.now();
			if (draw && now - shownAt >= redrawMs) {
				shownAt = now;
				draw(progressLine(text, done, of));
			}
		}),
	);
}

function progressLine(text: string, done: number, of: number): string {
	const share = of === 0 ? 1 : Math.min(1, done / of);
	const bar = '#'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '.');
	return `[${bar}] ${Math.floor(share * 100)} % ${sanitizeLine(text)}, ${done} of ${of}`;
}

const frames = ['-', '\\', '|', '/'] as const;
const frameMs = 120;

/** Delay before the spinner appears. */
const quietMs = 400;

/** Shows a spinner with the elapsed time on stderr, if it is a terminal, while `work` runs. */
export async function withSpinner<T>(context: Terminal, text: string, work: () => Promise<T>): Promise<T> {
	return withStatusLine(context, async draw => {
		const startedAt = performance.now();
		const tick = () => {
			const elapsed = performance.now() - startedAt;
			if (elapsed > quietMs) {
				const frame = frames[Math.floor(elapsed / frameMs) % frames.length];
				draw?.(`${frame} ${sanitizeLine(text)} ${Math.floor(elapsed / 1000)} s`);
			}
		};
		const timer = draw && setInterval(tick, frameMs);
		return work().finally(() => clearInterval(timer));
	});
}

/** Runs `work` with a function that replaces the line on stderr; undefined unless stderr shows animations. Clears it at the end. */
async function withStatusLine<T>(
	{io: {stderr}, env}: Terminal,
	work: (draw: ((line: string) => void) | undefined) => Promise<T>,
): Promise<T> {
	if (!stderr.isTTY || env['TERM'] === 'dumb' || env['CI']) {
		return work(undefined);
	}

	return work(line => stderr.write(`\r${line.slice(0, (stderr.columns || 80) - 1)}\x1b[K`)).finally(() =>
		stderr.write('\r\x1b[K'),
	);
}
