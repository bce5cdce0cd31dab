/** One daemon process on a store; several can share one. */
export type NodeIdentity = {
	/** Of this run. */
	readonly id: string;
	/** Of its host. */
	readonly name: string;
	readonly version: string;
};

/** What a node tells of itself with each beat. */
export type NodeReport = NodeIdentity & {
	/** Host and port where it answers HTTP. */
	readonly address: string;
	/** Requests and event streams that are held open for news. */
	readonly waits: number;
	/** SMTP connections. */
	readonly sessions: number;
};

export type NodeState = 'up' | 'lost';

/** A node as the others know it. */
export type Node = NodeReport & {
	/** When it came (ISO 8601). */
	readonly since: string;
	readonly heartbeatAt: string;
	/** `lost` when nothing was heard of it for `lostAfterMs`, and it did not say that it ends. */
	readonly state: NodeState;
};

export const lostAfterMs = 10_000;
