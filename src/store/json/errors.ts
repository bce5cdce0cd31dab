import {AppError} from '../../domain/errors.js';
import {DataDirError, errorCode, reasonOf} from '../../lib/errors.js';

/** The error for a change that the disk refused. */
export function storageFull(reason: unknown): AppError {
	const code = errorCode(reason) ?? 'unknown error';
	return new AppError(
		'storage_full',
		`The disk refused the data (${code}). Delete mail or free space on the disk, then try again.`,
	);
}

/** The error for a change that comes after `close`. */
export function stopping(): AppError {
	return new AppError('stopping', 'The daemon is stopping and stores nothing more. Try again when it runs.');
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
export function noDirectory(place: string, error: unknown): DataDirError {
	const obstacle = obstacles[errorCode(error) ?? ''] ?? reasonOf(error);
	return new DataDirError(
		`There can be no data directory at ${place}: ${obstacle}. Choose another place with --data-dir or TINBOX_DATA_DIR.`,
	);
}
