import {sanitizeLine} from '../../lib/text/sanitize.js';
import type {Context} from '../context.js';

const frames = ['-', '\\', '|', '/'] as const;
const frameMs = 120;

/** Delay before the spinner appears. */
const quietMs = 400;

/** Shows a spinner with the elapsed time on stderr while `work` runs, if stderr is a terminal. */
export async function withSpinner<T>(
	context: Pick<Context, 'io' | 'env'>,
	text: string,
	work: () => Promise<T>,
): Promise<T> {
	const {stderr} = context.io;
	if (!isAnimated(context)) {
		return work();
	}

	const startedAt = performance.now();
	const draw = () => {
		const elapsed = performance.now() - startedAt;
		if (elapsed > quietMs) {
			const frame = frames[Math.floor(elapsed / frameMs) % frames.length];
			const line = `${frame} ${sanitizeLine(text)} ${Math.floor(elapsed / 1000)} s`;
			stderr.write(`\r${line.slice(0, (stderr.columns || 80) - 1)}\x1b[K`);
		}
	};
	const timer = setInterval(draw, frameMs);
	try {
		return await work();
	} finally {
		clearInterval(timer);
		stderr.write('\r\x1b[K');
	}
}

/** Checks whether stderr can show animations. */
export function isAnimated({io: {stderr}, env}: Pick<Context, 'io' | 'env'>): boolean {
	return stderr.isTTY === true && env['TERM'] !== 'dumb' && !env['CI'];
}
