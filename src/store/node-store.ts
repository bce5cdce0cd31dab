import type {Node, NodeReport} from '../domain/node.js';

/** The nodes that share the store. One that is lost is forgotten after an hour. */
export interface NodeStore {
	/** Tells of a node that it is up. */
	beat(report: NodeReport): Promise<void>;
	/** The node with this id ends. */
	leave(id: string): Promise<void>;
	/** Those that came first are first. */
	list(): Promise<readonly Node[]>;
}
