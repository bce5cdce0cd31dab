import {type LookupAddress, lookup as systemLookup} from 'node:dns';
import {FairQueue} from '../queue/fair-queue.js';

/** Finds the addresses of a host name; `dns.lookup` does. */
export type Resolve = (
	hostname: string,
	options: {readonly all: true; readonly family?: number},
	callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** A question to the resolver. */
export type Question = {
	/** On whose behalf it is asked. */
	readonly userId: string;
	readonly hostname: string;
	/** 4 or 6; 0 for both. */
	readonly family?: number;
	/** Aborted when nobody wants to know any more. */
	readonly signal: AbortSignal;
};

/**
 * Asks the resolver of the system, which answers a few questions at a time: it keeps one of the threads that also read
 * and write files. Users take turns, so names that are never found hold up no other user.
 */
export class Names {
	readonly #turns: FairQueue;
	readonly #resolve: Resolve;

	/** `threads`: those of the process. Half of them may ask, as libuv has it. */
	constructor(resolve: Resolve = systemLookup, threads = Number(process.env['UV_THREADPOOL_SIZE']) || 4) {
		this.#turns = new FairQueue(Math.floor((threads + 1) / 2));
		this.#resolve = resolve;
	}

	/** The addresses, at least one. Rejects as the resolver does, and with the signal's reason when it is too late to ask. */
	async find({userId, hostname, family = 0, signal}: Question): Promise<LookupAddress[]> {
		return this.#turns.run(userId, async () => {
			signal.throwIfAborted();
			return new Promise((resolve, reject) => {
				this.#resolve(hostname, {all: true, family}, (error, addresses) => {
					if (error || addresses.length === 0) {
						reject(error ?? new Error(`${hostname} has no address`));
					} else {
						resolve(addresses);
					}
				});
			});
		});
	}
}
