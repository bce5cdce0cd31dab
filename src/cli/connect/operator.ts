import path from 'node:path';
import {apiClient, type Client} from '../../client/index.js';
import {causeOf} from '../../lib/errors.js';
import {readPrivateFile} from '../../lib/io/files.js';
import type {DaemonState} from '../../runtime/state-file.js';
import {Exit, exitCodes} from '../output/exit.js';

/** A client with the operator token of the local daemon: whoever can read that file is the operator. */
export function localOperator({url, data_dir}: Pick<DaemonState, 'url' | 'data_dir'>): Client {
	return apiClient({url, token: operatorToken(data_dir)});
}

/** The daemon keeps it in its data directory, where only its owner can read it. */
function operatorToken(dataDir: string): string {
	try {
		return readPrivateFile(path.join(dataDir, 'operator-token')).trim();
	} catch (error) {
		throw new Exit(exitCodes.denied, 'unauthorized', `Cannot read the operator token: ${causeOf(error)}.`, {
			hint: 'Ask the operator of the daemon for credentials, and set TINBOX_API_KEY and TINBOX_TOKEN.',
		});
	}
}
