import {sanitizeLine} from '../../lib/text/sanitize.js';
import type {Context} from '../context.js';

const frames = ['-', '\\', '|', '/'] as const;
const frameMs = 120;

/** Work that ends sooner shows nothing. */
const quietMs = 400;

/** Shows on stderr, if that is a terminal, that work is going on and for how long; the line is wiped afterwards. */
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

/** Whether stderr is a terminal on which a line may change. */
export function isAnimated({io: {stderr}, env}: Pick<Context, 'io' | 'env'>): boolean {
	return stderr.isTTY === true && env['TERM'] !== 'dumb' && !env['CI'];
}
