import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {createSecret} from '../domain/secret.js';
import {errorCode} from '../lib/errors.js';
import {nodeFiles, replaceFile} from '../lib/files.js';

/**
 * A secret of this data directory, made at first start and kept in a file that only its owner can read. Called under the
 * store's lock, so nobody else makes it at the same time. A file that is there but cannot be read is an error: a new
 * secret in its place would void all tokens.
 */
export async function loadSecret(dataDir: string, name: string): Promise<string> {
	const file = path.join(dataDir, name);
	const known = await readFile(file, 'utf8').catch(error => {
		if (errorCode(error) !== 'ENOENT') {
			throw error;
		}

		return '';
	});
	return known.trim() || makeSecret(file);
}

async function makeSecret(file: string): Promise<string> {
	const secret = createSecret();
	await replaceFile(nodeFiles, file, async draft => draft.writeFile(`${secret}\n`));
	return secret;
}
