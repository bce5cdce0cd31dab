import {STATUS_CODES} from 'node:http';
import type {ProblemBody} from '../contract/problem.js';
import {AppError, type ErrorCode} from '../domain/errors.js';

/** Every failure that HTTP can tell of: those of the product, and those of the protocol itself. */
type ProblemCode =
	| ErrorCode
	| 'malformed'
	| 'foreign_host'
	| 'foreign_origin'
	| 'method_not_allowed'
	| 'unsupported_media_type'
	| 'timed_out'
	| 'header_too_large'
	| 'internal';

const statusOf: Readonly<Record<ProblemCode, number>> = {
	invalid_input: 400,
	invalid_invite: 400,
	owner_stays: 400,
	malformed: 400,
	unauthorized: 401,
	forbidden: 403,
	plan_limit: 403,
	foreign_origin: 403,
	not_found: 404,
	method_not_allowed: 405,
	timed_out: 408,
	address_taken: 409,
	email_taken: 409,
	already_member: 409,
	invite_open: 409,
	too_large: 413,
	unsupported_media_type: 415,
	foreign_host: 421,
	rate_limited: 429,
	header_too_large: 431,
	internal: 500,
	stopping: 503,
	storage_full: 507,
};

/** A failure of the protocol, met before any service is asked. */
export class HttpProblem extends Error {
	readonly code: ProblemCode;

	constructor(code: ProblemCode, detail: string) {
		super(detail);
		this.code = code;
	}
}

/** Whether the failure is one to tell the caller about; all others are bugs. */
export function isExpected(error: unknown): error is AppError | HttpProblem {
	return error instanceof AppError || error instanceof HttpProblem;
}

/** The body for a failure (RFC 9457). Without a `type`, the title is the phrase of the status, as section 4.2.1 asks. */
export function problemBody(error: unknown): ProblemBody {
	const {code, message} = isExpected(error)
		? error
		: new HttpProblem('internal', 'Something went wrong in the daemon. Its log says what.');
	const status = statusOf[code];
	const errors = error instanceof AppError ? error.details.errors : undefined;
	return {title: STATUS_CODES[status] ?? 'Error', status, detail: message, code, ...(errors && {errors})};
}
