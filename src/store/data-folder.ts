import path from 'node:path';
import {DataDirError, errorCode, reasonOf} from '../lib/errors.js';
import {ensureDirectory, type Files, nodeFiles} from '../lib/files.js';
import type {Log} from '../lib/log.js';
import {guardFolder} from '../lib/private-files.js';
import {takeLock} from '../lib/process-lock.js';

export type DataFolderOptions = {
	readonly log: Log;
	/** Called when the disk has no room for the lock. */
	readonly makeRoom?: () => Promise<void>;
	readonly files?: Files;
};

/**
 * Makes a data directory unless it is there, and takes it for this process alone, until what it resolves to is called. Throws
 * `DataDirError` when another process has it or none can be made, `UnsafePathError` when another user may have prepared it.
 */
export async function takeDataFolder(
	folder: string,
	{log, makeRoom, files = nodeFiles}: DataFolderOptions,
): Promise<() => Promise<void>> {
	await ensureDirectory(files, folder).catch(error => {
		throw noDirectory(folder, error);
	});
	await guardFolder(folder, sentence => log.warn({}, sentence));
	const taken = await takeLock(path.join(folder, 'lock'), makeRoom);
	if ('holder' in taken) {
		throw new DataDirError(
			`The data directory ${folder} is in use by process ${taken.holder}. Stop that daemon, or choose another directory.`,
		);
	}

	return taken.release;
}

const obstacles: Readonly<Record<string, string>> = {
	ENOENT: 'the system makes no folders there',
	EEXIST: 'something else has that name',
	ENOTDIR: 'something on the way there is no folder',
	EACCES: 'this user may not make it',
	EPERM: 'this user may not make it',
	EROFS: 'the file system is read-only',
	ENOSPC: 'the disk is full',
};

/** Why no data directory can be made in a place, in a sentence. */
function noDirectory(place: string, error: unknown): DataDirError {
	const obstacle = obstacles[errorCode(error) ?? ''] ?? reasonOf(error);
	return new DataDirError(
		`There can be no data directory at ${place}: ${obstacle}. Choose another place with --data-dir or TINBOX_DATA_DIR.`,
	);
}
