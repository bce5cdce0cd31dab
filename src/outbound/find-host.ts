import {lookup, resolveNs} from 'node:dns/promises';
import {setTimeout} from 'node:timers/promises';
import type {FindHost} from '../domain/target.js';
import {errorCode} from '../lib/errors.js';

/** How long whoever registers a receiver is kept waiting for the resolver. */
const patienceMs = 3000;

/** Asks the resolver of the system, hosts file included. */
export const findHost: FindHost = async hostname =>
	Promise.race([find(hostname), setTimeout(patienceMs, 'unknown' as const, {ref: false})]);

async function find(hostname: string): ReturnType<FindHost> {
	try {
		return (await lookup(hostname, {all: true})).map(({address}) => address);
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
