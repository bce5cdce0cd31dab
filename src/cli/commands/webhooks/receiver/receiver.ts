import {once} from 'node:events';
import {createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse} from 'node:http';
import {type AddressInfo, connect} from 'node:net';
import {webhookHeaders} from '../../../../contract/constants.js';
import {bodySignatureProblem, standardSignatureProblem} from '../../../../contract/webhook-signature.js';
import {errorCode} from '../../../../lib/errors.js';
import {readBytes} from '../../../../lib/io/streams.js';
import type {ReceivedWebhook} from './event.js';

/** A request as it came: signatures are made of these bytes. */
export type Received = {readonly headers: IncomingHttpHeaders; readonly body: Buffer};

/** The status of an answer, and why the request was not forwarded where that failed. */
export type Answered = {readonly status: number; readonly forwardError?: string};

/** Answers a request. */
export type Responder = (received: Received, response: ServerResponse) => Promise<Answered>;

export type ReceiverOptions = {
	readonly secret: string;
	/** Asked for requests whose signatures are right; others get 401. */
	readonly answer: Responder;
	/** Told of each request once it is answered. */
	readonly onEvent: (event: ReceivedWebhook) => void;
	readonly now: () => Date;
};

export type Receiver = {readonly url: string; close(): Promise<void>};

/** The path in the URL of every receiver. */
const receiverPath = '/tinbox-listen';

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
	const {port} = server.address() as AddressInfo;
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

	const body = await readBytes(request, maxBodyBytes);
	if (body === undefined) {
		response.writeHead(413, {connection: 'close'}).end();
		return;
	}

	const {secret, answer, onEvent, now} = options;
	const received = {headers: request.headers, body};
	const at = now();
	const problem = signatureProblem(secret, received, at) ?? null;
	const {status, forwardError} = problem === null ? await answer(received, response) : refuse(response, problem);
	onEvent({
		received_at: at.toISOString(),
		event: header(received, webhookHeaders.event),
		delivery_id: header(received, webhookHeaders.deliveryId),
		error: problem,
		response_status: status,
		forward_error: forwardError ?? null,
		payload: parse(body.toString()),
	});
}

function signatureProblem(secret: string, received: Received, now: Date): string | undefined {
	const stamped = {
		id: header(received, webhookHeaders.id),
		timestamp: header(received, webhookHeaders.timestamp),
		signature: header(received, webhookHeaders.signature),
	};
	return (
		bodySignatureProblem(secret, received.body, header(received, webhookHeaders.bodySignature)) ??
		standardSignatureProblem(secret, received.body, stamped, now)
	);
}

function refuse(response: ServerResponse, problem: string): Answered {
	const status = 401;
	response.writeHead(status, {'content-type': 'text/plain'}).end(`${problem}\n`);
	return {status};
}

function header({headers}: Received, name: string): string {
	return String(headers[name.toLowerCase()] ?? '');
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** Whether the URL is that of a receiver whose process was killed. */
export async function isOrphaned(url: string): Promise<boolean> {
	const {hostname, port, pathname} = new URL(url);
	if (hostname !== '127.0.0.1' || pathname !== receiverPath) {
		return false;
	}

	const socket = connect(Number(port), hostname);
	try {
		await once(socket, 'connect');
		return false;
	} catch (error) {
		return errorCode(error) === 'ECONNREFUSED';
	} finally {
		socket.destroy();
	}
}
