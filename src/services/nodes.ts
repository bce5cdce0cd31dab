import type {Node, NodeIdentity, NodeReport} from '../domain/node.js';
import type {Part} from '../lib/lifecycle.js';
import type {Store} from '../store/port.js';

/** Interval of heartbeats. */
const beatEveryMs = 2000;

type NodesOptions = {
	readonly identity: NodeIdentity;
	/** HTTP address, once the server listens. */
	address(): string;
	/** Current load. */
	load(): Pick<NodeReport, 'waits' | 'sessions'>;
};

/** Nodes that share the store. Sends the heartbeats of this one. */
export class Nodes implements Part {
	readonly name = 'nodes';
	readonly #store: Pick<Store, 'nodes'>;
	readonly #options: NodesOptions;
	#address = '';
	#timer: NodeJS.Timeout | undefined;

	constructor(store: Pick<Store, 'nodes'>, options: NodesOptions) {
		this.#store = store;
		this.#options = options;
	}

	/** Must be called after the HTTP server started. */
	async start(): Promise<void> {
		this.#address = this.#options.address();
		await this.#beat();
		this.#timer = setInterval(() => void this.#beat(), beatEveryMs).unref();
	}

	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await this.#store.nodes.leave(this.#options.identity.id).catch(() => {});
	}

	async list(): Promise<readonly Node[]> {
		return this.#store.nodes.list();
	}

	/** Ignores errors: an unavailable store has no node list either. */
	async #beat(): Promise<void> {
		const {identity, load} = this.#options;
		await this.#store.nodes.beat({...identity, address: this.#address, ...load()}).catch(() => {});
	}
}
