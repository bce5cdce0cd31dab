import type {RefusalListBody} from '../contract/daemon.js';
import {type Caller, path} from './caller.js';

/** Mail that was refused, for the operator and the local user. */
export function refusalsClient({json}: Caller) {
	return {
		/** The newest ones, newest first. */
		list: async (query: {readonly limit?: number} = {}) => {
			const call = {method: 'GET', path: path`/refusals`, auth: 'either', query} as const;
			return (await json<RefusalListBody>(call, {refusals: [{client: {}}]})).refusals;
		},
	};
}
