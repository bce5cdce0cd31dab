import type {ServerResponse} from 'node:http';
import type {RouterContext} from '@koa/router';
import type {Context, Next} from 'koa';
import {AppError} from '../../domain/errors.js';
import type {Log} from '../../lib/log.js';
import {HttpProblem, isExpected, problemAnswer} from '../problem.js';
import {nameRequest} from '../request-id.js';

/** Codes of what happens when a client leaves before the end of its answer. */
const goneCodes: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

function isGone(error: unknown): boolean {
	return error instanceof Error && 'code' in error && goneCodes.has(error.code);
}

/** The one place where failures become answers. What nobody expected is logged in full and shown as a bare 500. */
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

/** Answers with what went wrong; when an answer has begun already, there is only the connection left to end. */
export function sendProblem(response: ServerResponse, error: unknown, log: Log): void {
	const {req: request} = response;
	const name = isExpected(error) ? undefined : nameRequest(request);
	if (name !== undefined && !request.errored && !isGone(error)) {
		const [path] = (request.url ?? '').split('?', 1);
		log.error({request: name, err: error, method: request.method, path}, 'Request failed unexpectedly');
	}

	if (response.headersSent) {
		response.destroy();
		return;
	}

	const {status, headers, text} = problemAnswer(error, name);
	if (!request.complete) {
		// What the client still wants to send will not be read.
		response.setHeader('Connection', 'close');
	}

	response.writeHead(status, headers).end(text);
}

/** For what fails after an answer has begun, when there is only the connection left to end. */
export function logBrokenAnswer(log: Log) {
	return (error: unknown, ctx: Context): void => {
		if (!isGone(error)) {
			log.error(
				{request: nameRequest(ctx.req), err: error, method: ctx.method, path: ctx.path},
				'Response aborted by an error',
			);
		}
	};
}

/** Answers what no route takes: an unknown path, or a known one with another method. Of several paths the first counts. */
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

/** The web app's requests have lost the beginning of their path on the way (`admitApp`). */
function pathAsAsked({path, originalUrl}: RouterContext): string {
	return originalUrl.startsWith(`/app${path}`) ? `/app${path}` : path;
}
