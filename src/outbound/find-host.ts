import {resolveNs} from 'node:dns/promises';
import {setTimeout} from 'node:timers/promises';
import type {FindHost} from '../domain/webhooks/target.js';
import {errorCode} from '../lib/errors.js';
import type {Names} from './names.js';

/** How long whoever registers a receiver is kept waiting for the resolver. */
const patienceMs = 3000;

/** Asks the resolver of the system, hosts file included. */
export function createFindHost(names: Names): FindHost {
	return async (hostname, userId) =>
		Promise.race([find(names, hostname, userId), setTimeout(patienceMs, 'unknown' as const, {ref: false})]);
}

async function find(names: Names, hostname: string, userId: string): ReturnType<FindHost> {
	try {
		const found = await names.find({hostname, userId, signal: AbortSignal.timeout(patienceMs)});
		return found.map(({address}) => address);
	} catch (error) {
		const isAbsent = errorCode(error) === 'ENOTFOUND';
		return isAbsent && (await knowsRoot()) ? [] : 'unknown';
	}
}

/** Whether the resolver reaches the root of all names. In a sandbox it does not, and its "no such name" says nothing. */
async function knowsRoot(): Promise<boolean> {
	return resolveNs('.').then(
		() => true,
		() => false,
	);
}
