import type {Node, NodeIdentity, NodeReport} from '../domain/node.js';
import type {Part} from '../lib/lifecycle.js';
import type {Store} from '../store/port.js';

/** How often a node tells that it is up. */
const beatEveryMs = 2000;

export type NodesOptions = {
	readonly identity: NodeIdentity;
	/** Where it answers HTTP, once it does. */
	address(): string;
	/** What it holds at the moment. */
	load(): Pick<NodeReport, 'waits' | 'sessions'>;
};

/** Knows the nodes on the store, and has them know this one. */
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

	/** Once the node can be reached. */
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

	/** While the store cannot be reached there is nobody to tell. */
	async #beat(): Promise<void> {
		const {identity, load} = this.#options;
		await this.#store.nodes.beat({...identity, address: this.#address, ...load()}).catch(() => {});
	}
}
