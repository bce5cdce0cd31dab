import {AppError} from '../../domain/errors.js';
import {errorCode} from '../../lib/error-code.js';

/** What the maker of a change is told when the disk refused it. */
export function storageFull(reason: unknown): AppError {
	const code = errorCode(reason) ?? 'unknown error';
	return new AppError(
		'storage_full',
		`The disk did not take the data (${code}). Delete mail or make room otherwise, then try again.`,
	);
}

/** What the maker of a change is told once the store is being closed. */
export function stopping(): AppError {
	return new AppError('stopping', 'The daemon is stopping and saves nothing more. Try again when it runs.');
}
