import type {Router} from '@koa/router';
import type {HealthBody} from '../../contract/health.js';
import {version} from '../../lib/version.js';

/** The only route without credentials: whether the daemon answers, and which version it is. */
export function addHealthRoutes(router: Router): void {
	router.get('/health', ctx => {
		ctx.body = {status: 'ok', version} satisfies HealthBody;
	});
}
