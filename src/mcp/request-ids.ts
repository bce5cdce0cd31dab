import {CancelledNotificationSchema, isJSONRPCRequest, type RequestId} from '@modelcontextprotocol/sdk/types.js';

/** The ids of the requests in a message of a client, or in several. */
export function requestIds(body: unknown): readonly RequestId[] {
	return [body]
		.flat()
		.filter(isJSONRPCRequest)
		.map(({id}) => id);
}

/** The ids of the requests that a message of a client, or several, give up. */
export function cancelledIds(body: unknown): readonly RequestId[] {
	return [body].flat().flatMap(message => CancelledNotificationSchema.safeParse(message).data?.params.requestId ?? []);
}
