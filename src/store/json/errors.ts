import {AppError} from '../../domain/errors.js';
import {errorCode} from '../../lib/errors.js';

/** The error for a change that the disk refused. */
export function storageFull(reason: unknown): AppError {
	const code = errorCode(reason) ?? 'unknown error';
	return new AppError(
		'storage_full',
		`Writing to the disk failed (${code}). Delete mail or free disk space, then try again.`,
	);
}

/** The error for a change that comes after `close`. */
export function stopping(): AppError {
	return new AppError('stopping', 'The daemon is stopping and does not store data. Try again when it is running.');
}
