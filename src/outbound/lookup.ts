import {type LookupAddress, lookup as systemLookup} from 'node:dns';
import type {LookupFunction} from 'node:net';
import type {TargetPolicy} from '../domain/target.js';

/** Finds the addresses of a host name; `dns.lookup` does. */
export type Resolve = (
	hostname: string,
	options: {readonly all: true; readonly family?: number},
	callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The refusal to connect to an address that the policy forbids. */
export class ForbiddenTarget extends Error {
	constructor(host: string, address: string) {
		super(`Webhooks must not be sent to ${host === address ? host : `${host}, which is ${address}`}.`);
	}
}

/**
 * A lookup for `net.connect` that hands on a name's addresses only when the policy allows every one of them. The
 * connection is then made to just these, so a name cannot be pointed elsewhere in between (DNS rebinding).
 */
export function createLookup(allows: TargetPolicy, resolve: Resolve = systemLookup): LookupFunction {
	return (hostname, {all, family}, callback) => {
		const families = {all: true, family: Number(family ?? 0)} as const;
		resolve(hostname, families, (error, addresses) => {
			const [first] = addresses ?? [];
			if (error || !first) {
				callback(error ?? new Error(`${hostname} has no address`), []);
				return;
			}

			const forbidden = addresses.find(({address}) => !allows(address));
			if (forbidden) {
				callback(new ForbiddenTarget(hostname, forbidden.address), []);
			} else if (all) {
				callback(null, addresses);
			} else {
				callback(null, first.address, first.family);
			}
		});
	};
}
