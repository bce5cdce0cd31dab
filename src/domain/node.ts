/** Daemon process. Several can share a store. */
export type NodeIdentity = {
	/** Id of this run. */
	readonly id: string;
	/** Name of its host. */
	readonly name: string;
	readonly version: string;
};

/** Report of a node with every heartbeat. */
export type NodeReport = NodeIdentity & {
	/** Host and port of its HTTP listener. */
	readonly address: string;
	/** Number of open long polls and event streams. */
	readonly waits: number;
	/** Number of SMTP connections. */
	readonly sessions: number;
};

export type NodeState = 'up' | 'lost';

/** Node as other nodes see it. */
export type Node = NodeReport & {
	/** Start of the node (ISO 8601). */
	readonly since: string;
	readonly heartbeatAt: string;
	/** `lost` if there was no heartbeat for `lostAfterMs`, and no regular shutdown. */
	readonly state: NodeState;
};

export const lostAfterMs = 10_000;
