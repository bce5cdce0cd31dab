import {once} from 'node:events';
import {
	createServer,
	request as httpRequest,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type RequestOptions,
	type ServerResponse,
} from 'node:http';
import {request as httpsRequest} from 'node:https';
import {type AddressInfo, connect} from 'node:net';
import {pipeline} from 'node:stream/promises';
import {webhookHeaders} from '../../contract/constants.js';
import {fieldsOf} from '../../contract/field-names.js';
import {bodySignatureProblem, standardSignatureProblem} from '../../contract/webhook-signature.js';
import {causeOf, errorCode} from '../../lib/errors.js';
import {readBytes} from '../../lib/io/streams.js';
import {clockColumn, type TableColumn} from '../output/table.js';

/** Request printed by `webhooks listen`. */
export type ReceivedWebhook = {
	readonly received_at: string;
	readonly event: string;
	readonly delivery_id: string;
	/** Signature problem; null if both signatures are valid. */
	readonly error: string | null;
	readonly response_status: number;
	/** Null if the request was forwarded, or forwarding is off. */
	readonly forward_error: string | null;
	/** Parsed JSON body, or the text if it is not JSON. */
	readonly payload: unknown;
};

export const eventFields = fieldsOf<ReceivedWebhook>()(
	'received_at event delivery_id error response_status forward_error payload',
);

export const eventColumns: readonly TableColumn<ReceivedWebhook>[] = [
	clockColumn('RECEIVED', event => event.received_at),
	{header: 'EVENT', value: event => event.event},
	{header: 'DELIVERY', value: event => event.delivery_id},
	{header: 'RESPONSE', value: event => String(event.response_status)},
	{header: 'SIGNATURE', value: event => event.error ?? 'verified'},
	{
		header: 'FROM',
		value: event => textOf(messageOf(event), 'from') || textOf(memberNamed(hitOf(event), 'envelope'), 'from'),
	},
	{header: 'SUBJECT OR REPLY', value: event => textOf(messageOf(event), 'subject') || textOf(hitOf(event), 'reply')},
	{header: 'FORWARD ERROR', value: event => event.forward_error ?? ''},
];

/** Message of the payload. In a test delivery, the payload itself has the fields of the message. */
function messageOf({payload}: ReceivedWebhook): unknown {
	return memberNamed(payload, 'message') ?? payload;
}

function hitOf({payload}: ReceivedWebhook): unknown {
	return memberNamed(payload, 'hit');
}

function textOf(value: unknown, name: string): string {
	const member = memberNamed(value, name);
	return typeof member === 'string' ? member : '';
}

function memberNamed(value: unknown, name: string): unknown {
	return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Request with its raw body, which the signatures cover. */
type WebhookRequest = {readonly headers: IncomingHttpHeaders; readonly body: Buffer};

/** Response status, and the error if forwarding failed. */
type ResponseResult = {readonly status: number; readonly forwardError?: string};

/** Responds to a request. */
export type Responder = (received: WebhookRequest, response: ServerResponse) => Promise<ResponseResult>;

type ReceiverOptions = {
	readonly secret: string;
	/** Called for requests with valid signatures; all others get 401. */
	readonly answer: Responder;
	/** Called after each response. */
	readonly onEvent: (event: ReceivedWebhook) => void;
	readonly now: () => Date;
};

type Receiver = {readonly url: string; close(): Promise<void>};

/** The path in the URL of every receiver. */
const receiverPath = '/tinbox-listen';

/** Larger bodies are rejected with 413. */
const maxBodyBytes = 1024 * 1024;

/** Starts a webhook receiver on a free loopback port. Any local user can send to it; signatures authenticate the daemon. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
	const server = createServer((request, response) => {
		// The sender closed the connection.
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

function signatureProblem(secret: string, received: WebhookRequest, now: Date): string | undefined {
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

function refuse(response: ServerResponse, problem: string): ResponseResult {
	const status = 401;
	response.writeHead(status, {'content-type': 'text/plain'}).end(`${problem}\n`);
	return {status};
}

function header({headers}: WebhookRequest, name: string): string {
	return String(headers[name.toLowerCase()] ?? '');
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}

/** Checks whether a URL belongs to a receiver that no longer runs. */
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

/** Creates a responder that returns these statuses in turn and repeats the last one. */
export function respondWith(statuses: readonly number[]): Responder {
	let count = 0;
	return async (_, response) => {
		const status = statuses[Math.min(count, statuses.length - 1)] ?? 200;
		count += 1;
		response.writeHead(status).end();
		return {status};
	};
}

/** Creates a responder that proxies each request to a URL; 502 if it does not respond. */
export function forwardTo(url: string): Responder {
	return async ({headers, body}, response) => {
		const closed = new AbortController();
		response.once('close', () => closed.abort());
		try {
			const answer = await post(url, {headers: withoutHopByHop(headers), signal: closed.signal}, body);
			const status = answer.statusCode ?? 502;
			response.writeHead(status, withoutHopByHop(answer.headers));
			// The status was already sent, so errors while copying the body are ignored.
			await pipeline(answer, response).catch(() => {});
			return {status};
		} catch (error) {
			const reason = closed.signal.aborted ? 'the sender closed the connection' : causeOf(error);
			const forwardError = `No response from ${url}: ${reason}`;
			response.writeHead(502, {'content-type': 'text/plain'}).end(`${forwardError}\n`);
			return {status: 502, forwardError};
		}
	};
}

async function post(url: string, options: RequestOptions, body: Buffer): Promise<IncomingMessage> {
	const request = url.startsWith('https:') ? httpsRequest : httpRequest;
	const outgoing = request(url, {...options, method: 'POST'});
	outgoing.end(body);
	const [answer] = await once(outgoing, 'response');
	return answer;
}

/** Hop-by-hop header fields, which are not forwarded (RFC 9110, section 7.6.1). */
const hopByHop = new Set([
	'connection',
	'host',
	'keep-alive',
	'proxy-authenticate',
	'proxy-authorization',
	'te',
	'trailer',
	'transfer-encoding',
	'upgrade',
]);

function withoutHopByHop(headers: IncomingHttpHeaders): IncomingHttpHeaders {
	return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)));
}
