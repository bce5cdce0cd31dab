import {mkdir, open, readFile, rename} from 'node:fs/promises';
import path from 'node:path';
import {createSecret} from '../domain/secret.js';
import {errorCode} from '../lib/error-code.js';

/**
 * A secret of this data directory, made at first start and kept in a file that only its owner can read. Called under the
 * store's lock, so nobody else makes it at the same time. A file that is there but cannot be read is an error: a new
 * secret in its place would void all tokens.
 */
export async function loadSecret(dataDir: string, name: string): Promise<string> {
	const file = path.join(dataDir, name);
	return (await readSecret(file)) ?? (await makeSecret(file));
}

async function readSecret(file: string): Promise<string | undefined> {
	try {
		return (await readFile(file, 'utf8')).trim() || undefined;
	} catch (error) {
		if (errorCode(error) === 'ENOENT') {
			return undefined;
		}

		throw error;
	}
}

async function makeSecret(file: string): Promise<string> {
	const secret = createSecret();
	await mkdir(path.dirname(file), {recursive: true, mode: 0o700});
	await writeSynced(`${file}.tmp`, `${secret}\n`);
	await rename(`${file}.tmp`, file);
	return secret;
}

async function writeSynced(file: string, text: string): Promise<void> {
	const handle = await open(file, 'w', 0o600);
	try {
		await handle.writeFile(text);
		await handle.sync();
	} finally {
		await handle.close();
	}
}
