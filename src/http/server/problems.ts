import {randomBytes} from 'node:crypto';
import {type IncomingMessage, type ServerResponse, STATUS_CODES} from 'node:http';
import type {Duplex} from 'node:stream';
import type {RouterContext} from '@koa/router';
import type {Context, Next} from 'koa';
import type {ProblemBody} from '../../contract/common.js';
import {problemType} from '../../contract/constants.js';
import {AppError, type AppErrorDetails, type ErrorCode} from '../../domain/errors.js';
import {errorCode} from '../../lib/errors.js';
import type {Log} from '../../lib/log.js';

/** HTTP status by error code, including errors of the protocol. */
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

/** Error of the protocol, before any service is called. */
export class HttpProblem extends Error {
	readonly code: ProblemCode;

	constructor(code: ProblemCode, detail: string) {
		super(detail);
		this.code = code;
	}
}

/** True for errors that are shown to the client; all others are bugs. */
function isExpected(error: unknown): error is AppError | HttpProblem {
	return error instanceof AppError || error instanceof HttpProblem;
}

/** Response that is ready to be sent. */
type Answer = {readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly text: string};

/**
 * Problem response (RFC 9457). Without a `type`, the title is the reason phrase of the status (section 4.2.1). `request` is the
 * id of the request in the log.
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

/** A lazily loaded module is missing if another version was installed over the running one. */
function problemOfBug(error: unknown, request: string): HttpProblem {
	return errorCode(error) === 'ERR_MODULE_NOT_FOUND'
		? new HttpProblem(
				'unavailable',
				'The program files of this daemon were deleted or replaced since it started. Restart it: tinbox daemon restart',
			)
		: new HttpProblem('internal', `Internal error. See the log of the daemon${request && ` for request ${request}`}.`);
}

/** Headers of every response. */
export const safetyHeaders = {'X-Content-Type-Options': 'nosniff', 'Cache-Control': 'no-store'} as const;

/** Responds to invalid HTTP and to requests that arrive too slowly, and closes the connection. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Duplex): void {
	if (error.code === 'ECONNRESET' || !socket.writable) {
		socket.destroy();
		return;
	}

	refuseConnection(socket, problemOf(error));
}

/** Sends a problem response on a connection, whatever was requested, and closes it. */
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

/** `traceparent` (W3C Trace Context, section 3.2): version, trace, parent, flags, and fields of later versions. */
const traceparent = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/;

/** Trace id of a request; undefined for none or an invalid one. */
export function traceIdOf({headers}: Pick<IncomingMessage, 'headers'>): string | undefined {
	const given = headers['traceparent'];
	const [, version, trace, parent, more] = traceparent.exec(typeof given === 'string' ? given : '') ?? [];
	const isKnown = version !== 'ff' && !(version === '00' && more !== undefined);
	return isKnown && [trace, parent].every(id => id !== undefined && /[^0]/.test(id)) ? trace : undefined;
}

/** Id of a failed request in its response and in the log: its trace id, or a new one of that form. */
export function requestId(request: Pick<IncomingMessage, 'headers'>): string {
	return traceIdOf(request) ?? randomBytes(16).toString('hex');
}

/** Error codes of a client that disconnected. */
const disconnectCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

function isDisconnect(error: unknown): boolean {
	return error instanceof Error && 'code' in error && disconnectCodes.has(error.code);
}

/** Middleware that turns errors into problem responses. Unexpected errors are logged and shown as a 500 without details. */
export function answerProblems(log: Log) {
	return async (ctx: Context, next: Next): Promise<void> => {
		try {
			await next();
		} catch (error) {
			ctx.respond = false;
			sendProblem(ctx.res, error, log);
		}
	};
}

/** Sends a problem response, or closes the connection if a response has begun. */
export function sendProblem(response: ServerResponse, error: unknown, log: Log): void {
	const {req: request} = response;
	const name = isExpected(error) ? undefined : requestId(request);
	if (name !== undefined && !request.errored && !isDisconnect(error)) {
		const [path] = (request.url ?? '').split('?', 1);
		log.error({request: name, err: error, method: request.method, path}, 'Request failed unexpectedly');
	}

	if (response.headersSent) {
		response.destroy();
		return;
	}

	const {status, headers, text} = problemAnswer(error, name);
	if (!request.complete) {
		// The rest of the request is not read.
		response.setHeader('Connection', 'close');
	}

	response.writeHead(status, headers).end(text);
}

/** Logs errors after a response has begun. */
export function logBrokenAnswer(log: Log) {
	return (error: unknown, ctx: Context): void => {
		if (!isDisconnect(error)) {
			log.error(
				{request: requestId(ctx.req), err: error, method: ctx.method, path: ctx.path},
				'Response aborted by an error',
			);
		}
	};
}

/**
 * Responds to requests without a route: 404 for an unknown path, 405 for another method. If several paths match, the first
 * counts.
 */
export function answerUnmatched(ctx: RouterContext): void {
	const [first, ...others] = ctx.matched ?? [];
	const asked = pathAsAsked(ctx);
	if (!first) {
		throw new AppError('not_found', `${asked} was not found. API paths start with /v1/; see /docs.`);
	}

	const methods = [first, ...others].filter(({path}) => path === first.path).flatMap(layer => layer.methods);
	ctx.set('Allow', [...new Set(methods), 'OPTIONS'].join(', '));
	if (ctx.method !== 'OPTIONS') {
		throw new HttpProblem(
			'method_not_allowed',
			`${asked} does not support ${ctx.method}. The Allow header lists the supported methods.`,
		);
	}

	ctx.status = 204;
}

/** Throws a 405 unless the method is one of these. `hint` follows the sentence about the method. */
export function assertMethod(ctx: Context, methods: readonly string[], hint: string): void {
	if (!methods.includes(ctx.method)) {
		ctx.set('Allow', methods.join(', '));
		throw new HttpProblem('method_not_allowed', `${ctx.path} does not support ${ctx.method}. ${hint}`);
	}
}

/** Path as requested: requests of the web app lost their prefix (`rewriteWebAppRequest`). */
function pathAsAsked({path, originalUrl}: RouterContext): string {
	return originalUrl.startsWith(`/app${path}`) ? `/app${path}` : path;
}
