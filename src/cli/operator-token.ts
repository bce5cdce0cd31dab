import {readFileSync} from 'node:fs';
import path from 'node:path';
import {reasonOf} from '../lib/reason-of.js';
import {Exit, exitCodes} from './exit.js';

/** What opens the operations on users. The daemon keeps it in its data directory, where only its owner can read it. */
export function operatorToken(dataDir: string): string {
	try {
		return readFileSync(path.join(dataDir, 'operator-token'), 'utf8').trim();
	} catch (error) {
		throw new Exit(exitCodes.denied, 'unauthorized', `The operator token cannot be read: ${reasonOf(error)}.`, {
			hint: 'Ask whoever runs the daemon for credentials, and set TINBOX_API_KEY and TINBOX_TOKEN.',
		});
	}
}
