import {subscribe, unsubscribe} from 'node:diagnostics_channel';
import type {IncomingMessage, ServerResponse} from 'node:http';

/** An answer as it went out. */
export type SeenAnswer = {
	readonly method: string;
	/** Below `/v1`, without the query. */
	readonly path: string;
	readonly status: number;
	readonly headers: Readonly<Record<string, unknown>>;
	readonly body: string;
};

/** Tells of each answer below `/v1` that a tinbox in this process gives, before its last bytes leave; the result ends that. */
export function watchAnswers(see: (answer: SeenAnswer) => void): () => void {
	const start = (message: unknown) => {
		const {request, response} = message as {readonly request: IncomingMessage; readonly response: ServerResponse};
		const [target = ''] = (request.url ?? '').split('?', 1);
		const [, app, path] = /^(\/app)?\/v1(\/.*)$/.exec(target) ?? [];
		if (path !== undefined) {
			onEnd(response, body => {
				const isStub = response.getHeader('X-Content-Type-Options') !== 'nosniff';
				// The web app has the same answers, but is refused for reasons of its own.
				const isRefusedApp = app !== undefined && response.statusCode >= 400;
				const isHeard = !response.destroyed && response.socket?.writable !== false;
				if (!isStub && !isRefusedApp && isHeard) {
					const {method = ''} = request;
					const headers = response.getHeaders();
					// What is written in answer to HEAD goes nowhere.
					see({method, path, status: response.statusCode, headers, body: method === 'HEAD' ? '' : body});
				}
			});
		}
	};
	subscribe('http.server.request.start', start);
	return () => void unsubscribe('http.server.request.start', start);
}

/** Hands over what is written until the end: all of JSON, and of anything else the first piece. */
function onEnd(response: ServerResponse, see: (body: string) => void): void {
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
		see(Buffer.concat(chunks).toString());
		return end(...args);
	};
}
