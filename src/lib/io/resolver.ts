import {type LookupAddress, lookup as systemLookup} from 'node:dns';
import {FairQueue} from '../queue/fair-queue.js';

/** Looks up the addresses of a host name, like `dns.lookup`. */
export type Resolve = (
	hostname: string,
	options: {readonly all: true; readonly family?: number},
	callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** Query for the addresses of a host name. */
export type HostQuery = {
	/** User on whose behalf the lookup runs. */
	readonly userId: string;
	readonly hostname: string;
	/** Address family 4 or 6; 0 for both. */
	readonly family?: number;
	/** Cancels a lookup that has not started. */
	readonly signal: AbortSignal;
};

/**
 * Resolver of the system with a fair queue. A lookup occupies one of the few threads that also read and write files. Users
 * take turns, so that names that never resolve delay no other user.
 */
export class HostResolver {
	readonly #turns: FairQueue;
	readonly #resolve: Resolve;

	/** `threads`: size of the thread pool. Half of it may resolve names, as in libuv. */
	constructor(resolve: Resolve = systemLookup, threads = Number(process.env['UV_THREADPOOL_SIZE']) || 4) {
		this.#turns = new FairQueue(Math.floor((threads + 1) / 2));
		this.#resolve = resolve;
	}

	/** Resolves to at least one address. Rejects with the error of the resolver, or with the reason of an aborted signal. */
	async find({userId, hostname, family = 0, signal}: HostQuery): Promise<LookupAddress[]> {
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
