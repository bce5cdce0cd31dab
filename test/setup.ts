import {afterEach, expect, vi} from 'vitest';
import {takeProblems} from './compat/api/every-answer.js';

const {waitFor} = vi;

/** As with `expect.poll` (`vitest.config.js`), also where something else is said of how it waits. */
vi.waitFor = (check, options = {}) =>
	waitFor(check, {timeout: 20_000, ...(typeof options === 'number' ? {timeout: options} : options)});

/** Whatever is tested, the answers that it was given are those of the document. */
afterEach(async () => {
	expect(await takeProblems(), 'answers that the document does not describe').toEqual([]);
});
