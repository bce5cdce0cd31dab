/**
 * Every failure a user can be told about. HTTP, SMTP and the CLI each keep one table from these codes to their own
 * statuses; whatever is thrown and is not an `AppError` is a bug, logged in full and shown as "internal".
 */
export type ErrorCode =
	| 'invalid_input'
	| 'invalid_invite'
	| 'owner_required'
	| 'unauthorized'
	| 'forbidden'
	| 'plan_limit'
	| 'not_found'
	| 'ambiguous'
	| 'address_taken'
	| 'email_taken'
	| 'already_member'
	| 'invite_open'
	| 'too_many_faults'
	| 'no_bounce'
	| 'undelivered'
	| 'too_large'
	| 'rate_limited'
	| 'limit_reached'
	| 'storage_full'
	| 'unavailable'
	| 'stopping';

/** One wrong field of a request: its name as the caller wrote it, and what is wrong with it. */
export type FieldError = {readonly field: string; readonly message: string};

export type AppErrorDetails = {
	/** For `invalid_input`: each wrong field. */
	readonly errors?: readonly FieldError[];
	/** For `rate_limited` and `unavailable`: whole seconds after which a new try can succeed. */
	readonly retryAfter?: number;
};

/** An expected failure. The message is a whole sentence for the person who made the call. */
export class AppError extends Error {
	readonly code: ErrorCode;
	readonly details: AppErrorDetails;

	constructor(code: ErrorCode, message: string, details: AppErrorDetails = {}) {
		super(message);
		this.name = 'AppError';
		this.code = code;
		this.details = details;
	}
}

/** Whether what keeps the data is away, so that the same may succeed later without anybody's doing. */
export function isUnavailable(error: unknown): error is AppError {
	return error instanceof AppError && error.code === 'unavailable';
}

/** What was looked for or deleted, when it was there; else throws `not_found` with that sentence. */
export function found<T>(result: T | undefined | false, missing: string): T {
	if (result === undefined || result === false) {
		throw new AppError('not_found', missing);
	}

	return result;
}

/** The error for one wrong field; `message` follows the field's name, as in "limit" + "must be a whole number". */
export function invalidField(field: string, message: string): AppError {
	return new AppError('invalid_input', `"${field}" ${message}.`, {errors: [{field, message}]});
}

/** The most that there may be of something; `more` says what to raise for it, as in "a larger --max-connections". */
export type Bound = {readonly max: number; readonly more: string};

/** The refusal of what would be beyond a limit. `allowed` says how much there may be, `makeRoom` what frees some. */
export function beyondLimit(allowed: string, makeRoom: string, {more}: Pick<Bound, 'more'>): AppError {
	return new AppError('limit_reached', `${allowed} ${makeRoom}, or start the daemon with ${more}.`);
}
