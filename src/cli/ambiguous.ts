import {Exit, exitCodes} from './exit.js';

/** The error for a text that several things answer to; it lists what each is called by alone, its `key`. */
export function ambiguous(message: string, key: 'id' | 'address', candidates: readonly string[]): Exit {
	return new Exit(exitCodes.usage, 'ambiguous', message, {
		hint: `Use the ${key} of one:\n${candidates.map(line => `  ${line}`).join('\n')}`,
		details: {candidates},
	});
}
