import type {Context, Next} from 'koa';
import {AppError} from '../../domain/errors.js';
import {isLoopback, withoutBrackets} from '../../lib/io/hosts.js';
import {isOperator} from '../api/auth.js';
import {HttpProblem} from '../server/problems.js';
import type {Services} from '../services.js';

/** Headers that proxies add. */
const proxyHeaders = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Real-IP', 'Via'];

/** Serves Prometheus metrics at `/metrics`: to programs on this machine, and to the operator from anywhere. */
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

/**
 * True for a loopback connection to a loopback host name without proxy headers. A proxy on this machine uses another host name
 * or adds headers.
 */
function isFromThisMachine(ctx: Context): boolean {
	return (
		isLoopback(ctx.req.socket.remoteAddress ?? '') &&
		isLoopback(withoutBrackets(ctx.hostname)) &&
		proxyHeaders.every(name => ctx.get(name) === '')
	);
}
