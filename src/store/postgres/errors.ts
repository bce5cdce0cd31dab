import {AppError} from '../../domain/errors.js';
import {errorCode} from '../../lib/errors.js';

/**
 * Codes that pass by themselves: of the driver and the system when a connection is lost, refused or late; of PostgreSQL those of
 * classes 08 (connection) and 53 (resources), and when it shuts down, starts, recovers, or is a standby.
 */
const passing =
	/^(?:CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ENOENT|08|53|57P0|57014|55P03|25006)/;

/** What a failure of the database is to those who asked: anything else is a bug and stays what it is. */
export function databaseError(error: unknown): unknown {
	const code = errorCode(error) ?? '';
	if (error instanceof AppError || !passing.test(code)) {
		return error;
	}

	return code === '53100'
		? new AppError(
				'storage_full',
				'The disk of the database is full. Data can be stored or deleted only after disk space is freed.',
			)
		: unavailable();
}

export function unavailable(): AppError {
	return new AppError('unavailable', 'The database is unavailable. Try again.', {retryAfter: 1});
}
