import {afterEach, expect, vi} from 'vitest';
import {takeViolations} from './compat/api/response-check.js';

const {waitFor} = vi;

/** Gives `vi.waitFor` the default timeout of `expect.poll` (`vitest.config.js`). */
vi.waitFor = (check, options = {}) =>
	waitFor(check, {timeout: 20_000, ...(typeof options === 'number' ? {timeout: options} : options)});

/** Fails a test if a response below `/v1` does not match the OpenAPI document. */
afterEach(async () => {
	expect(await takeViolations(), 'responses that the OpenAPI document does not describe').toEqual([]);
});
