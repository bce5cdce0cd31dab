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

/** An answer is longer than any that is read. */
export class TooLongError extends UnreachableError {}

/** An address as it may be shown: without a user and a password. What is no address may hold them, too. */
export function withoutLogin(url: string): string {
	return url.replace(/^([a-z]+:\/\/)?.*@/is, '$1');
}

/** Codes of system errors when there is no daemon at the address any more. */
const away = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** Whether the daemon stops or has ended, or its database is away, so that it may be back soon. */
export function isAway(error: unknown): boolean {
	return error instanceof ApiError
		? ['stopping', 'unavailable'].includes(error.code)
		: away.includes(systemCode(error));
}

/** Whether something answers there with a certificate that no authority known here vouches for. */
export function isUntrusted(error: unknown): boolean {
	return systemCode(error) === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
}

/** Whether it ended only after the call had come to it. */
export function wasReached(error: unknown): boolean {
	return systemCode(error) === 'ECONNRESET';
}

function systemCode(error: unknown): string {
	return (error instanceof UnreachableError && errorCode(error.cause)) || '';
}
