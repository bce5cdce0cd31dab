import {afterEach, expect, vi} from 'vitest';
import {takeProblems} from './api/every-answer.js';

const {waitFor} = vi;

/** As with `expect.poll` (`vitest.config.js`). */
vi.waitFor = (check, options = {timeout: 20_000}) => waitFor(check, options);

/** Whatever is tested, the answers that it was given are those of the document. */
afterEach(async () => {
	expect(await takeProblems(), 'answers that the document does not describe').toEqual([]);
});
