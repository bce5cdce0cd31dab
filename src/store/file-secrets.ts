import path from 'node:path';
import {errorCode} from '../lib/errors.js';
import {nodeFiles, readPrivateFile, replaceFile} from '../lib/io/files.js';
import type {Log} from '../lib/log.js';
import type {SecretStore} from './port.js';

/**
 * Secrets in files of a folder that only one process writes to; only their owner can read them. One that is there but cannot be
 * read, or that another user may have put there, is an error: a new secret in its place would void what was signed with it.
 */
export function createFileSecrets(folder: string, log: Log): SecretStore {
	const get = async (name: string) => {
		try {
			const mended = (sentence: string) => log.warn({}, sentence);
			return readPrivateFile(path.join(folder, name), {mended}).trim() || undefined;
		} catch (error) {
			if (errorCode(error) !== 'ENOENT') {
				throw error;
			}

			return undefined;
		}
	};
	const put: SecretStore['put'] = async (name, secret, before) => {
		const known = await get(name);
		if (known !== undefined && known !== before) {
			return known;
		}

		await replaceFile(nodeFiles, path.join(folder, name), async draft => draft.writeFile(`${secret}\n`));
		return secret;
	};
	let last: Promise<unknown> = Promise.resolve();
	return {
		get,
		put(...asked) {
			const turn = last.then(async () => put(...asked));
			last = turn.catch(() => {});
			return turn;
		},
	};
}
