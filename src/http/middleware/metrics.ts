import type {Context, Next} from 'koa';
import {AppError} from '../../domain/errors.js';
import {isLoopback, withoutBrackets} from '../../lib/io/hosts.js';
import {isOperator} from '../api/auth.js';
import {HttpProblem} from '../server/problems.js';
import type {Services} from '../services.js';

/** What proxies add to a request that they hand on. */
const proxyHeaders = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Via'];

/** Answers `/metrics` with what is measured: to programs on this machine, and to the operator from anywhere. */
export function answerMetrics({credentials, metrics}: Pick<Services, 'credentials' | 'metrics'>) {
	return async (ctx: Context, next: Next): Promise<void> => {
		if (ctx.path !== '/metrics') {
			return next();
		}

		if (!['GET', 'HEAD'].includes(ctx.method)) {
			ctx.set('Allow', 'GET, HEAD');
			throw new HttpProblem(
				'method_not_allowed',
				`/metrics does not support ${ctx.method}. The Allow header lists the supported methods.`,
			);
		}

		if (!isFromThisMachine(ctx) && !isOperator(ctx, credentials)) {
			throw new AppError(
				'forbidden',
				'From another machine or through a proxy, /metrics requires the operator token. Send it in the header "Authorization: Bearer <token>".',
			);
		}

		ctx.set('Content-Type', metrics.type);
		ctx.body = await metrics.read();
	};
}

/** Programs on this machine ask for it as such; a proxy on it that hands on what comes from anywhere asks for another name, or says so. */
function isFromThisMachine(ctx: Context): boolean {
	return (
		isLoopback(ctx.req.socket.remoteAddress ?? '') &&
		isLoopback(withoutBrackets(ctx.hostname)) &&
		proxyHeaders.every(name => ctx.get(name) === '')
	);
}
