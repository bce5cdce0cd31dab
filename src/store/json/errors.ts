import {AppError} from '../../domain/errors.js';
import {errorCode} from '../../lib/errors.js';

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
