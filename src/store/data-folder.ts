import path from 'node:path';
import {DataDirError, errorCode, reasonOf} from '../lib/errors.js';
import {ensureDirectory, type Files, guardFolder, nodeFiles} from '../lib/io/files.js';
import {takeLock} from '../lib/io/process-lock.js';
import type {Log} from '../lib/log.js';

/** Options of `takeDataFolder`. */
export type DataFolderOptions = {
	readonly log: Log;
	/** Frees space if the disk has none for the lock file. */
	readonly makeRoom?: () => Promise<void>;
	readonly files?: Files;
};

/**
 * Creates a data directory if necessary and locks it for this process. Resolves to the function that releases the lock. Throws
 * `DataDirError` if another process uses the directory or it cannot be created, and `UnsafePathError` if another user may have
 * prepared it.
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
			`The data folder ${folder} is in use by process ${taken.holder}. Stop that daemon, or choose another folder.`,
		);
	}

	return taken.release;
}

const obstacles: Readonly<Record<string, string>> = {
	ENOENT: 'the system does not allow folders there',
	EEXIST: 'a file with this name exists',
	ENOTDIR: 'a part of the path is not a folder',
	EACCES: 'permission denied',
	EPERM: 'operation not permitted',
	EROFS: 'the file system is read-only',
	ENOSPC: 'the disk is full',
};

/** The error for a data folder that cannot be created. */
function noDirectory(place: string, error: unknown): DataDirError {
	const obstacle = obstacles[errorCode(error) ?? ''] ?? reasonOf(error);
	return new DataDirError(
		`Cannot create the data folder ${place}: ${obstacle}. Choose another folder with --data-dir or TINBOX_DATA_DIR.`,
	);
}
