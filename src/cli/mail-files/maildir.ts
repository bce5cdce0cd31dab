import {lstat, mkdir} from 'node:fs/promises';
import path from 'node:path';
import {errorCode, UnsafePathError} from '../../lib/errors.js';
import {directoryMode, ensureDirectory, nodeFiles} from '../../lib/io/files.js';

/** The folders of a Maildir: mail that was seen, mail that is new, and mail that is still being written. */
export const maildirFolders = ['cur', 'new', 'tmp'] as const;

/** Makes a Maildir unless it is one. Throws `UnsafePathError` where one of its folders is a link, or no folder. */
export async function makeMaildir(folder: string): Promise<void> {
	await ensureDirectory(nodeFiles, folder);
	for (const name of maildirFolders) {
		const part = path.join(folder, name);
		await mkdir(part, {mode: directoryMode}).catch(async error => {
			if (errorCode(error) !== 'EEXIST') {
				throw error;
			}

			if (!(await lstat(part)).isDirectory()) {
				throw new UnsafePathError(`${part} is not a folder. Remove it, or choose another location with --output.`);
			}
		});
	}
}

/** Whether a folder has those of a Maildir in which mail is. */
export async function isMaildir(folder: string): Promise<boolean> {
	const parts = await Promise.all(
		['cur', 'new'].map(async name => lstat(path.join(folder, name)).catch(() => undefined)),
	);
	return parts.every(part => part?.isDirectory());
}
