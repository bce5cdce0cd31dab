import {fieldsOf} from './answers.js';

/** Daemon process; several nodes can share a store. */
export type NodeBody = {
	readonly id: string;
	/** Host name of the node. */
	readonly name: string;
	readonly version: string;
	/** Host and port of the HTTP listener. */
	readonly address: string;
	/** Time when the node started (ISO 8601). */
	readonly since: string;
	/** Time of the last heartbeat (ISO 8601). */
	readonly heartbeat_at: string;
	/** Number of open long polls and event streams. */
	readonly waits: number;
	/** Number of open SMTP connections. */
	readonly sessions: number;
	/** `lost` after 10 s without a heartbeat; a lost node is removed after an hour. */
	readonly state: 'up' | 'lost';
};

/** Response of `GET /v1/nodes`: the oldest node first. */
export type NodeListBody = {readonly nodes: readonly NodeBody[]};

export const nodeFields = fieldsOf<NodeBody>()('id name version address since heartbeat_at waits sessions state');
