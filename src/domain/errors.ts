/**
 * Codes of the expected failures. HTTP, SMTP and the CLI each have one table from these codes to their own statuses. Any
 * other error is a bug: it is logged in full and shown as "internal".
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

/** Invalid field of a request. `message` follows the name of the field. */
export type FieldError = {readonly field: string; readonly message: string};

export type AppErrorDetails = {
	/** For `invalid_input`: each wrong field. */
	readonly errors?: readonly FieldError[];
	/** For `rate_limited` and `unavailable`: seconds after which a retry can succeed. */
	readonly retryAfter?: number;
};

/** Expected failure. The message is a whole sentence for the caller. */
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

/** The error for a request that arrives while the daemon stops. */
export function stoppingError(): AppError {
	return new AppError('stopping', 'The daemon is stopping. Try again when it is running.');
}

/** True if the database is unreachable, so that a retry may succeed. */
export function isUnavailable(error: unknown): error is AppError {
	return error instanceof AppError && error.code === 'unavailable';
}

/** Returns the result of a search or a delete; throws `not_found` with the sentence `missing` if there is none. */
export function found<T>(result: T | undefined | false, missing: string): T {
	if (result === undefined || result === false) {
		throw new AppError('not_found', missing);
	}

	return result;
}

/** Returns an `invalid_input` error for one field; `message` follows its name: "limit" + "must be a whole number". */
export function invalidField(field: string, message: string): AppError {
	return new AppError('invalid_input', `"${field}" ${message}.`, {errors: [{field, message}]});
}

/** Maximum number of something. `raiseAdvice` names the option that raises it: "a larger --max-connections". */
export type Bound = {readonly max: number; readonly raiseAdvice: string};

/** Returns a `limit_reached` error. `allowed` is a sentence about the limit, `freeAdvice` says how to free something. */
export function beyondLimit(allowed: string, freeAdvice: string, {raiseAdvice}: Pick<Bound, 'raiseAdvice'>): AppError {
	return new AppError('limit_reached', `${allowed} ${freeAdvice}, or start the daemon with ${raiseAdvice}.`);
}
