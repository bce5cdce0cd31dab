import type {Readable, Writable} from 'node:stream';
import {StdioServerTransport} from '@modelcontextprotocol/sdk/server/stdio.js';
import type {Client} from '../client/index.js';
import type {McpExtra} from '../contract/constants.js';
import {createMcpSession} from './session.js';
import {type SharedInboxes, VisibleInboxes} from './visible-inboxes.js';

export type StdioOptions = {
	readonly client: Client;
	readonly shared: SharedInboxes;
	readonly extras: readonly McpExtra[];
	readonly stdin: Readable;
	/** Has nothing but protocol. */
	readonly stdout: Writable;
	/** Is told of messages that cannot be read, and of bugs. */
	readonly onError: (error: unknown) => void;
};

/** How long calls under way may take when the client is gone. */
const graceMs = 5000;

/** One session over stdin and stdout. It ends with its stdin: what waits then answers at once, and what is under way is done first. */
export async function serveStdio({client, shared, extras, stdin, stdout, onError}: StdioOptions): Promise<void> {
	const ending = new AbortController();
	const terms = {client, inboxes: new VisibleInboxes(client, shared), extras, ending: ending.signal, onBug: onError};
	const {server, settled} = createMcpSession(terms);
	server.onerror = onError;
	const closed = new Promise<void>(resolve => {
		server.onclose = resolve;
	});
	const ended = new Promise<void>(resolve => {
		stdin.once('end', resolve).once('close', resolve);
	});
	await server.connect(new StdioServerTransport(stdin, stdout));
	await Promise.race([closed, ended]);
	ending.abort();
	await settled(graceMs);
	await server.close();
}
