import type {RouterContext} from '@koa/router';
import {AppError} from '../../domain/errors.js';
import {HttpProblem} from '../problem.js';

/** Answers what no route takes: an unknown path, or a known one with another method. */
export function answerUnmatched(ctx: RouterContext): void {
	const methods = new Set((ctx.matched ?? []).flatMap(layer => layer.methods));
	if (methods.size === 0) {
		throw new AppError('not_found', `There is nothing at ${ctx.path}. All paths begin with /v1.`);
	}

	ctx.set('Allow', [...methods, 'OPTIONS'].join(', '));
	if (ctx.method !== 'OPTIONS') {
		throw new HttpProblem('method_not_allowed', `${ctx.path} does not take ${ctx.method}; see the Allow header.`);
	}

	ctx.status = 204;
}
