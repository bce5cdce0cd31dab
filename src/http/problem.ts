import {STATUS_CODES} from 'node:http';
import type {Duplex} from 'node:stream';
import type {ProblemBody} from '../contract/common.js';
import {problemType} from '../contract/constants.js';
import {AppError, type AppErrorDetails, type ErrorCode} from '../domain/errors.js';
import {errorCode} from '../lib/errors.js';

/** Every failure that HTTP can tell of: those of the product, and those of the protocol itself. */
export const statusOf = {
	invalid_input: 400,
	invalid_invite: 400,
	owner_required: 400,
	ambiguous: 400,
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
	too_many_faults: 409,
	no_bounce: 409,
	key_reused: 409,
	in_progress: 409,
	too_large: 413,
	unsupported_media_type: 415,
	expectation_failed: 417,
	foreign_host: 421,
	undelivered: 424,
	rate_limited: 429,
	limit_reached: 429,
	header_too_large: 431,
	internal: 500,
	stopping: 503,
	unavailable: 503,
	storage_full: 507,
} satisfies Readonly<Record<ErrorCode, number> & Record<string, number>>;

export type ProblemCode = keyof typeof statusOf;

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

/** An answer, ready to be sent. */
type Answer = {readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string};

/**
 * The answer to a failure (RFC 9457). Without a `type`, the title is the phrase of the status, as section 4.2.1 asks. `request` is how
 * the log calls the request, where it tells of it.
 */
export function problemAnswer(error: unknown, request = ''): Answer {
	const {code, message} = isExpected(error) ? error : problemOfBug(error, request);
	const {errors, retryAfter}: AppErrorDetails = error instanceof AppError ? error.details : {};
	const status = statusOf[code];
	const title = STATUS_CODES[status] ?? 'Error';
	const text = JSON.stringify({title, status, detail: message, code, ...(errors && {errors})} satisfies ProblemBody);
	const headers = {
		'Content-Type': problemType,
		'Content-Length': String(Buffer.byteLength(text)),
		...(retryAfter !== undefined && {'Retry-After': String(retryAfter)}),
	};
	return {status, headers, text};
}

/** What is loaded only when it is asked for is gone once another version was installed over the one that runs. */
function problemOfBug(error: unknown, request: string): HttpProblem {
	return errorCode(error) === 'ERR_MODULE_NOT_FOUND'
		? new HttpProblem(
				'unavailable',
				'The program files of this daemon were deleted or replaced since it started. Restart it: tinbox daemon restart',
			)
		: new HttpProblem('internal', `Internal error. See the log of the daemon${request && ` for request ${request}`}.`);
}

/** On every answer: what the daemon says is kept by nobody, and is nothing but the type it names. */
export const safetyHeaders = {'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store'} as const;

/** Answers what is no HTTP at all, or came too slowly to become a request; the connection ends with it. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
	if (error.code === 'ECONNRESET' || !socket.writable) {
		socket.destroy();
		return;
	}

	refuseConnection(socket, problemOf(error));
}

/** Answers on a connection, whatever was asked on it or not, and ends it. */
export function refuseConnection(socket: Duplex, error: AppError | HttpProblem): void {
	const {status, headers, text} = problemAnswer(error);
	const lines = Object.entries({...safetyHeaders, ...headers, Connection: 'close'}).map(pair => pair.join(': '));
	const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines].join('\r\n');
	socket.end(`${head}\r\n\r\n${text}`, () => socket.destroy());
}

function problemOf({code}: NodeJS.ErrnoException): HttpProblem {
	switch (code) {
		case 'ERR_HTTP_REQUEST_TIMEOUT':
			return new HttpProblem('timed_out', 'The request was not received in time.');
		case 'HPE_HEADER_OVERFLOW':
			return new HttpProblem('header_too_large', 'The request header is larger than 16 KiB.');
		default:
			return new HttpProblem('malformed', 'The request is not valid HTTP/1.1.');
	}
}
