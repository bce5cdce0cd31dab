import type {DaemonBody} from '../contract/daemon.js';
import {type Caller, path} from './caller.js';

/** The daemon itself, with the API key. */
export function daemonClient({json}: Caller) {
	return {
		/** The OpenAPI document of the API. */
		openApi: () => json<object>({method: 'GET', path: path`/openapi.json`, auth: 'key'}),
		get: () => json<DaemonBody>({method: 'GET', path: path`/daemon`, auth: 'key'}, {smtp: {}, tls: {}}),
	};
}
