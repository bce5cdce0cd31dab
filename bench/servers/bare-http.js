/**
 * A bare node:http server that keeps every request open, except for `/now`, which returns their number: the lower bound for long
 * polls. Prints its port.
 */
import {createServer} from 'node:http';

/** @type {Set<import('node:http').ServerResponse>} */
const held = new Set();
const server = createServer((request, response) => {
	if (request.url === '/now') {
		response.end(JSON.stringify({held: held.size}));
		return;
	}

	held.add(response);
	response.once('close', () => held.delete(response));
});
const listener = server.listen({port: 0, host: '127.0.0.1', backlog: 4096}, () => {
	const address = listener.address();
	console.log(JSON.stringify({port: typeof address === 'object' ? address?.port : undefined}));
});
process.on('SIGTERM', () => process.exit());
