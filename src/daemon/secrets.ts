import path from 'node:path';
import {createSecret} from '../domain/secret.js';
import {errorCode} from '../lib/errors.js';
import {nodeFiles, replaceFile} from '../lib/files.js';
import type {Log} from '../lib/log.js';
import {readPrivateFile} from '../lib/private-files.js';

/**
 * A secret of this data directory, made at first start and kept in a file that only its owner can read. Called under the
 * store's lock, so nobody else makes it at the same time. A file that is there but cannot be read, or that another user may
 * have put there, is an error: a new secret in its place would void all tokens.
 */
export async function loadSecret(dataDir: string, name: string, log: Log): Promise<string> {
	const file = path.join(dataDir, name);
	return knownSecret(file, log) || makeSecret(file);
}

function knownSecret(file: string, log: Log): string {
	try {
		return readPrivateFile(file, {mended: sentence => log.warn({}, sentence)}).trim();
	} catch (error) {
		if (errorCode(error) !== 'ENOENT') {
			throw error;
		}

		return '';
	}
}

async function makeSecret(file: string): Promise<string> {
	const secret = createSecret();
	await replaceFile(nodeFiles, file, async draft => draft.writeFile(`${secret}\n`));
	return secret;
}
