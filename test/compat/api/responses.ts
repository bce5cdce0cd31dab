import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import type {IncomingMessage, ServerResponse} from 'node:http';

export type ApiResponse = {
	readonly method: string;
	/** Path below `/v1`, without the query. */
	readonly path: string;
	readonly status: number;
	readonly headers: Readonly<Record<string, unknown>>;
	readonly body: string;
};

/** Reports each response below `/v1` of any tinbox in this process before it is sent. Returns a function that stops this. */
export function watchResponses(report: (response: ApiResponse) => void): () => void {
	const start = (message: unknown) => {
		const {request, response} = message as {readonly request: IncomingMessage; readonly response: ServerResponse};
		const [target = ''] = (request.url ?? '').split('?', 1);
		const [, app, path] = /^(\/app)?\/v1(\/.*)$/.exec(target) ?? [];
		if (path !== undefined) {
			onEnd(response, body => {
				const isStub = response.getHeader('X-Content-Type-Options') !== 'nosniff';
				// Requests of the web app are also rejected for reasons that the document does not describe.
				const isRefusedApp = app !== undefined && response.statusCode >= 400;
				const isConnected = !response.destroyed && response.socket?.writable !== false;
				if (!isStub && !isRefusedApp && isConnected) {
					const {method = ''} = request;
					const headers = response.getHeaders();
					// Node.js discards what is written in response to HEAD.
					report({method, path, status: response.statusCode, headers, body: method === 'HEAD' ? '' : body});
				}
			});
		}
	};
	subscribe('http.server.request.start', start);
	return () => void unsubscribe('http.server.request.start', start);
}

/** Calls back at the end with the written body if it is JSON, and with its first chunk otherwise. */
function onEnd(response: ServerResponse, callback: (body: string) => void): void {
	const chunks: Buffer[] = [];
	const keep = (chunk: unknown) => {
		const isKept = chunks.length === 0 || /json/.test(String(response.getHeader('Content-Type')));
		if (isKept && (typeof chunk === 'string' || chunk instanceof Uint8Array)) {
			chunks.push(Buffer.from(chunk as string));
		}
	};
	const write = response.write.bind(response) as (...args: unknown[]) => boolean;
	const end = response.end.bind(response) as (...args: unknown[]) => ServerResponse;
	response.write = (...args: unknown[]) => {
		keep(args[0]);
		return write(...args);
	};
	response.end = (...args: unknown[]) => {
		keep(args[0]);
		callback(Buffer.concat(chunks).toString());
		return end(...args);
	};
}
