import {sanitizeLine} from '../../lib/text/sanitize.js';
import type {Context} from '../context.js';
import {isAnimated} from './spinner.js';

/** Reports progress: `done` of `of` items. */
export type Show = (text: string, done: number, of: number) => void;

const barWidth = 24;
const frameMs = 100;

/** Shows a progress bar on stderr while `work` runs, if stderr is a terminal. */
export async function withProgress<T>(
	context: Pick<Context, 'io' | 'env'>,
	work: (show: Show) => Promise<T>,
): Promise<T> {
	const {stderr} = context.io;
	if (!isAnimated(context)) {
		return work(() => {});
	}

	let shownAt = Number.NEGATIVE_INFINITY;
	try {
		return await work((text, done, of) => {
			const now = performance.now();
			if (now - shownAt >= frameMs) {
				shownAt = now;
				stderr.write(`\r${progressLine(text, done, of).slice(0, (stderr.columns || 80) - 1)}\x1b[K`);
			}
		});
	} finally {
		stderr.write('\r\x1b[K');
	}
}

function progressLine(text: string, done: number, of: number): string {
	const share = of === 0 ? 1 : Math.min(1, done / of);
	const bar = '#'.repeat(Math.floor(share * barWidth)).padEnd(barWidth, '.');
	return `[${bar}] ${Math.floor(share * 100)} % ${sanitizeLine(text)}, ${done} of ${of}`;
}
