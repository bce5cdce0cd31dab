import {once} from 'node:events';
import {createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse} from 'node:http';
import {bodySignatureProblem, standardSignatureProblem} from '../../../../lib/webhook-signature.js';
import type {ReceivedEvent} from './event.js';

/** A request as it came: signatures are made of these bytes. */
export type Received = {readonly headers: IncomingHttpHeaders; readonly body: Buffer};

/** Answers a request, and resolves to the status of the answer. */
export type Answer = (received: Received, response: ServerResponse) => Promise<number>;

export type ReceiverOptions = {
	readonly secret: string;
	/** Asked for requests whose signatures are right; others get 401. */
	readonly answer: Answer;
	/** Told of each request once it is answered. */
	readonly onEvent: (event: ReceivedEvent) => void;
	readonly now: () => Date;
};

export type Receiver = {readonly url: string; close(): Promise<void>};

/** By which the URL of a receiver is known. */
export const receiverPath = '/tinbox-listen';

/** Larger bodies are refused unread. */
const maxBodyBytes = 1024 * 1024;

/** Receives webhooks on a free port of loopback. Anybody on this machine can send to it: only the signatures count. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
	const server = createServer((request, response) => {
		// A sender that leaves gets no answer.
		receive(request, response, options).catch(() => response.destroy());
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	const port = typeof address === 'object' && address !== null ? address.port : 0;
	return {
		url: `http://127.0.0.1:${port}${receiverPath}`,
		async close() {
			const closed = once(server, 'close');
			server.close();
			server.closeAllConnections();
			await closed;
		},
	};
}

async function receive(request: IncomingMessage, response: ServerResponse, options: ReceiverOptions): Promise<void> {
	if (request.method !== 'POST') {
		response.writeHead(405, {allow: 'POST', connection: 'close'}).end();
		return;
	}

	const body = await readBody(request);
	if (body === undefined) {
		response.writeHead(413, {connection: 'close'}).end();
		return;
	}

	const {secret, answer, onEvent, now} = options;
	const received = {headers: request.headers, body};
	const at = now();
	const problem = signatureProblem(secret, received, at) ?? null;
	const answered = problem === null ? await answer(received, response) : refuse(response, problem);
	onEvent({
		received_at: at.toISOString(),
		event: header(received, 'x-tinbox-event'),
		delivery_id: header(received, 'x-tinbox-delivery-id'),
		problem,
		answered,
		payload: parse(body.toString()),
	});
}

/** Undefined when it is too large. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	// Whoever sends too much is still to be answered, for which the socket is needed.
	for await (const chunk of request.iterator({destroyOnReturn: false})) {
		size += chunk.length;
		if (size > maxBodyBytes) {
			return undefined;
		}

		chunks.push(chunk);
	}

	return Buffer.concat(chunks);
}

function signatureProblem(secret: string, received: Received, now: Date): string | undefined {
	const stamped = {
		id: header(received, 'webhook-id'),
		timestamp: header(received, 'webhook-timestamp'),
		signature: header(received, 'webhook-signature'),
	};
	return (
		bodySignatureProblem(secret, received.body, header(received, 'x-tinbox-signature')) ??
		standardSignatureProblem(secret, received.body, stamped, now)
	);
}

function refuse(response: ServerResponse, problem: string): number {
	const status = 401;
	response.writeHead(status, {'content-type': 'text/plain'}).end(`${problem}\n`);
	return status;
}

function header({headers}: Received, name: string): string {
	return String(headers[name] ?? '');
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
