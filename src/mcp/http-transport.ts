import {WebStandardStreamableHTTPServerTransport} from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
	CancelledNotificationSchema,
	isJSONRPCErrorResponse,
	isJSONRPCRequest,
	isJSONRPCResultResponse,
	type JSONRPCMessage,
	type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import {AppError} from '../domain/errors.js';
import {leftKey} from './session.js';

/** A message of a client, or several, from whom the API key is good. */
export type McpMessages = {
	readonly headers: Readonly<Record<string, string>>;
	readonly body: unknown;
	readonly apiKey: string;
	/** Aborts when the answer is over, also when the client leaves without it. */
	readonly left: AbortSignal;
};

/**
 * The SDK's transport, which ends an answer once each request that came together is answered or given up. By itself it waits for
 * those that were given up, too, which are never answered.
 */
export class HttpTransport extends WebStandardStreamableHTTPServerTransport {
	/** Each request that is neither answered nor given up, with all those that came together with it. */
	readonly #underWay = new Map<RequestId, Set<RequestId>>();

	/** Throws `invalid_input` when two requests under way have the same id. */
	async answer({headers, body, apiKey, left}: McpMessages): Promise<Response> {
		this.#expect(requestIds(body), left);
		// The address is read by nobody.
		const request = new Request('http://localhost/mcp', {method: 'POST', headers});
		const authInfo = {token: apiKey, clientId: '', scopes: [], extra: {[leftKey]: left}};
		const response = await this.handleRequest(request, {parsedBody: body, authInfo});
		for (const id of cancelledIds(body)) {
			this.#finish(id);
		}

		return response;
	}

	override async send(message: JSONRPCMessage, options?: {relatedRequestId?: RequestId}): Promise<void> {
		await super.send(message, options);
		if ((isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) && message.id !== undefined) {
			this.#finish(message.id);
		}
	}

	#expect(ids: readonly RequestId[], left: AbortSignal): void {
		const together = new Set(ids);
		if (together.size < ids.length || ids.some(id => this.#underWay.has(id))) {
			// The SDK would answer one of them alone.
			throw new AppError(
				'invalid_input',
				'Two concurrent requests have the same "id". Use a unique id for each request.',
			);
		}

		if (left.aborted) {
			return;
		}

		for (const id of ids) {
			this.#underWay.set(id, together);
		}

		left.addEventListener('abort', () => {
			for (const id of together) {
				this.#underWay.delete(id);
			}
		});
	}

	#finish(id: RequestId): void {
		const together = this.#underWay.get(id);
		this.#underWay.delete(id);
		together?.delete(id);
		if (together?.size === 0) {
			this.closeSSEStream(id);
		}
	}
}

/** The ids of the requests in a message of a client, or in several. */
function requestIds(body: unknown): readonly RequestId[] {
	return [body]
		.flat()
		.filter(isJSONRPCRequest)
		.map(({id}) => id);
}

/** The ids of the requests that a message of a client, or several, give up. */
function cancelledIds(body: unknown): readonly RequestId[] {
	return [body].flat().flatMap(message => CancelledNotificationSchema.safeParse(message).data?.params.requestId ?? []);
}
