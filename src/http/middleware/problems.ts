import type {Context, Next} from 'koa';
import {problemType} from '../../contract/problem.js';
import {AppError} from '../../domain/errors.js';
import type {Log} from '../../lib/log.js';
import {isExpected, problemBody} from '../problem.js';

/** The one place where failures become answers. What nobody expected is logged in full and shown as a bare 500. */
export function answerProblems(log: Log) {
	return async (ctx: Context, next: Next): Promise<void> => {
		try {
			await next();
		} catch (error) {
			if (!isExpected(error) && !ctx.req.errored) {
				log.error({err: error, method: ctx.method, path: ctx.path}, 'a request failed unexpectedly');
			}

			answer(ctx, error);
		}
	};
}

function answer(ctx: Context, error: unknown): void {
	const body = problemBody(error);
	ctx.status = body.status;
	ctx.body = JSON.stringify(body);
	ctx.set('Content-Type', problemType);
	if (error instanceof AppError && error.details.retryAfter !== undefined) {
		ctx.set('Retry-After', String(error.details.retryAfter));
	}

	if (!ctx.req.complete) {
		// What the client still wants to send will not be read.
		ctx.set('Connection', 'close');
	}
}

/** Codes of what happens when a client leaves before the end of its answer. */
const goneCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** For what fails after an answer has begun, when there is only the connection left to end. */
export function logBrokenAnswer(log: Log) {
	return (error: NodeJS.ErrnoException, ctx: Context): void => {
		if (!goneCodes.has(error.code)) {
			log.error({err: error, method: ctx.method, path: ctx.path}, 'an answer broke off');
		}
	};
}
