import type {HealthBody} from '../contract/health.js';
import {path} from './path.js';
import type {Request} from './request.js';

/** Whether the daemon answers, and which version it is. */
export function healthClient({json}: Request) {
	return {
		get: () => json<HealthBody>({method: 'GET', path: path`/health`, auth: 'none'}),
	};
}
