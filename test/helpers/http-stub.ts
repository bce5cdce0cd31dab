import {once} from 'node:events';
import http from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished} from 'vitest';

export type Seen = {
	readonly method: string;
	readonly url: string;
	readonly headers: http.IncomingHttpHeaders;
	readonly body: string;
};

export type Reply = {
	readonly status?: number;
	readonly headers?: http.OutgoingHttpHeaders;
	readonly body?: unknown;
};

/** A server that answers as told and notes what it was asked; it ends with the test. `null` leaves the client waiting. */
export async function httpStub(answer: (seen: Seen) => Reply | null | Promise<Reply | null>) {
	const requests: Seen[] = [];
	const server = http.createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) {
			chunks.push(chunk);
		}

		const {method = '', url = '', headers} = request;
		const seen = {method, url, headers, body: Buffer.concat(chunks).toString()};
		requests.push(seen);
		const reply = await answer(seen);
		if (reply) {
			const {status = 200, headers: own, body} = reply;
			response.writeHead(status, own).end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
		}
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	onTestFinished(async () => {
		server.closeAllConnections();
		await new Promise(resolve => server.close(resolve));
	});
	const {port} = server.address() as AddressInfo;
	return {url: `http://127.0.0.1:${port}/v1`, requests};
}
