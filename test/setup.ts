import {vi} from 'vitest';

const {waitFor} = vi;

/** On a busy machine a condition may take longer to be met than the second that is usual. */
vi.waitFor = (check, options = {timeout: 10_000}) => waitFor(check, options);
