import path from 'node:path';
import {errorCode} from '../lib/errors.js';
import {nodeFiles, readPrivateFile, replaceFile} from '../lib/io/files.js';
import type {Log} from '../lib/log.js';
import {Mutex} from '../lib/queue/mutex.js';
import type {SecretStore} from './port.js';

/**
 * Secrets in private files of a folder that a single process writes to. An unreadable file, or one that another user may have
 * created, is an error: a new secret would invalidate everything signed with the old one.
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
		const current = await get(name);
		if (current !== undefined && current !== before) {
			return current;
		}

		await replaceFile(nodeFiles, path.join(folder, name), async draft => draft.writeFile(`${secret}\n`));
		return secret;
	};
	const mutex = new Mutex();
	return {
		get,
		put: async (...args) => mutex.run(async () => put(...args)),
	};
}
