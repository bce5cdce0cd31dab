import {once} from 'node:events';
import http from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished} from 'vitest';

export type StubRequest = {
	readonly method: string;
	readonly url: string;
	readonly headers: http.IncomingHttpHeaders;
	readonly body: string;
};

export type StubReply = {
	readonly status?: number;
	readonly headers?: http.OutgoingHttpHeaders;
	readonly body?: unknown;
};

/** Starts a server that records requests and responds with the result of `answer`. `null` leaves the request pending. */
export async function httpStub(answer: (seen: StubRequest) => StubReply | null | Promise<StubReply | null>) {
	const requests: StubRequest[] = [];
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
