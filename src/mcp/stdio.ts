import type {Readable, Writable} from 'node:stream';
import {StdioServerTransport} from '@modelcontextprotocol/sdk/server/stdio.js';
import type {Client} from '../client/index.js';
import type {McpExtra} from '../contract/constants.js';
import {createMcpSession} from './session.js';
import {type SharedInboxes, VisibleInboxes} from './visible-inboxes.js';

type StdioOptions = {
	readonly client: Client;
	readonly shared: SharedInboxes;
	readonly extras: readonly McpExtra[];
	readonly stdin: Readable;
	/** Carries protocol messages only. */
	readonly stdout: Writable;
	/** Called with unreadable messages and unexpected errors. */
	readonly onError: (error: unknown) => void;
};

/** Time for pending calls to finish after the client disconnected, in milliseconds. */
const graceMs = 5000;

/** Serves one session over stdin and stdout until stdin ends. Calls that wait are then answered immediately, others may finish. */
export async function serveStdio({client, shared, extras, stdin, stdout, onError}: StdioOptions): Promise<void> {
	const ending = new AbortController();
	const options = {client, inboxes: new VisibleInboxes(client, shared), extras, ending: ending.signal, onBug: onError};
	const {server, settled} = createMcpSession(options);
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
