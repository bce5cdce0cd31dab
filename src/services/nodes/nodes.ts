import type {Node, NodeReport} from '../../domain/node.js';
import type {Part} from '../../lib/lifecycle.js';
import type {Store} from '../../store/store.js';

/** How often a node tells that it is up. */
const beatEveryMs = 2000;

/** Knows the nodes on the store, and has them know this one. */
export class Nodes implements Part {
	readonly name = 'nodes';
	readonly #store: Pick<Store, 'nodes'>;
	readonly #report: () => NodeReport;
	#timer: NodeJS.Timeout | undefined;

	/** `report` tells of this node. */
	constructor(store: Pick<Store, 'nodes'>, report: () => NodeReport) {
		this.#store = store;
		this.#report = report;
	}

	/** Once the node can be reached. */
	async start(): Promise<void> {
		await this.#beat();
		this.#timer = setInterval(() => void this.#beat(), beatEveryMs).unref();
	}

	async stop(): Promise<void> {
		clearInterval(this.#timer);
		await this.#store.nodes.leave(this.#report().id).catch(() => {});
	}

	async list(): Promise<readonly Node[]> {
		return this.#store.nodes.list();
	}

	/** While the store cannot be reached there is nobody to tell. */
	async #beat(): Promise<void> {
		await this.#store.nodes.beat(this.#report()).catch(() => {});
	}
}
