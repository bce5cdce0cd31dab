import type {ProblemBody} from '../contract/common.js';
import {errorCode} from '../lib/errors.js';

/** Error response of the daemon. */
export class ApiError extends Error {
	override readonly name = 'ApiError';
	readonly status: number;
	/** Stable error code in snake_case, for programs to compare. */
	readonly code: string;
	/** Sentence for people; may contain untrusted text. */
	readonly detail: string;
	/** Invalid fields; only for status 400. */
	readonly errors: NonNullable<ProblemBody['errors']>;

	constructor({status, code, detail, errors = []}: Omit<ProblemBody, 'title'>) {
		super(detail);
		this.status = status;
		this.code = code;
		this.detail = detail;
		this.errors = errors;
	}
}

/** True for an error response about an object that does not exist. */
export function isNotFound(error: unknown): boolean {
	return error instanceof ApiError && error.status === 404;
}

/** Rethrows an error unless the object does not exist. */
export function ignoreNotFound(error: unknown): undefined {
	if (!isNotFound(error)) {
		throw error;
	}
}

/** No response, no response in time, or not a response of tinbox. */
export class UnreachableError extends Error {
	override readonly name = 'UnreachableError';
	readonly url: string;

	constructor(url: string, reason: string, options?: ErrorOptions) {
		const shown = withoutLogin(url);
		super(`${shown} ${reason}`, options);
		this.url = shown;
	}
}

/** The response is longer than the limit. */
export class TooLongError extends UnreachableError {}

/** URL without user and password, for messages. Also removes them from text that is not a valid URL. */
export function withoutLogin(url: string): string {
	return url.replace(/^([a-z]+:\/\/)?.*@/is, '$1');
}

/** System error codes of a connection to a daemon that stopped. */
const unavailableCodes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** True if the daemon is stopping or has stopped, or its database is unavailable, so that a retry can succeed. */
export function isUnavailable(error: unknown): boolean {
	return error instanceof ApiError
		? ['stopping', 'unavailable'].includes(error.code)
		: unavailableCodes.includes(systemCode(error));
}

/** True if the server has a certificate of an unknown authority. */
export function isUntrusted(error: unknown): boolean {
	return systemCode(error) === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
}

/** True if the connection was closed during the request. */
export function wasInterrupted(error: unknown): boolean {
	return systemCode(error) === 'ECONNRESET';
}

function systemCode(error: unknown): string {
	return (error instanceof UnreachableError && errorCode(error.cause)) || '';
}
