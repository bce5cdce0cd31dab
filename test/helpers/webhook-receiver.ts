import {createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse} from 'node:http';
import type {AddressInfo} from 'node:net';
import {buffer} from 'node:stream/consumers';
import {onTestFinished} from 'vitest';

/** A response status, or a custom handler of the request. */
export type Answer = number | ((request: IncomingMessage, response: ServerResponse) => void);

export type ReceivedRequest = {
	readonly url: string;
	readonly headers: IncomingHttpHeaders;
	readonly body: string;
	readonly receivedAt: number;
};

export type WebhookReceiver = {
	readonly url: string;
	/** In the order of arrival. */
	readonly requests: readonly ReceivedRequest[];
	/** Number of connections opened so far. */
	readonly connections: number;
	/** Number of open connections. */
	open(): Promise<number>;
};

/** Starts a webhook receiver on loopback that gives the answers in order and repeats the last one. */
export async function startReceiver(...answers: readonly Answer[]): Promise<WebhookReceiver> {
	const requests: ReceivedRequest[] = [];
	let connections = 0;
	const server = createServer(async (request, response) => {
		const body = (await buffer(request)).toString();
		const answer = answers[Math.min(requests.length, answers.length - 1)] ?? 200;
		requests.push({url: request.url ?? '', headers: request.headers, body, receivedAt: Date.now()});
		if (typeof answer === 'number') {
			response.writeHead(answer).end(`status ${answer}`);
		} else {
			answer(request, response);
		}
	});
	server.on('connection', () => {
		connections += 1;
	});
	await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
	onTestFinished(async () => {
		server.closeAllConnections();
		await new Promise(resolve => server.close(resolve));
	});
	const {port} = server.address() as AddressInfo;
	return {
		url: `http://127.0.0.1:${port}/hook`,
		requests,
		get connections() {
			return connections;
		},
		open: async () =>
			new Promise((resolve, reject) => {
				server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
			}),
	};
}

/** Never responds to the request. */
export const noResponse: Answer = () => {};
