import {fieldsOf} from './answers.js';

/** A daemon process; several can share what is kept. */
export type NodeBody = {
	readonly id: string;
	/** Of its host. */
	readonly name: string;
	readonly version: string;
	/** Host and port where it answers HTTP. */
	readonly address: string;
	/** When it came. */
	readonly since: string;
	/** When it last told that it is up. */
	readonly heartbeat_at: string;
	/** Requests and event streams that it holds open for news. */
	readonly waits: number;
	/** SMTP connections to it. */
	readonly sessions: number;
	/** `lost` when nothing was heard of it for 10 s; it is forgotten after an hour. */
	readonly state: 'up' | 'lost';
};

/** `GET /v1/nodes`: those that came first are first. */
export type NodeListBody = {readonly nodes: readonly NodeBody[]};

export const nodeFields = fieldsOf<NodeBody>()('id name version address since heartbeat_at waits sessions state');
