import {vi} from 'vitest';

const {waitFor} = vi;

/** As with `expect.poll` (`vitest.config.js`). */
vi.waitFor = (check, options = {timeout: 20_000}) => waitFor(check, options);
