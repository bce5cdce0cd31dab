import type {IncomingMessage} from 'node:http';

/** The body of a request or an answer. Undefined when it is longer than `maxBytes`, as soon as that is known. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	// A client that sends too much is still to be answered, for which the socket is needed.
	for await (const chunk of request.iterator({destroyOnReturn: false})) {
		size += chunk.length;
		if (size > maxBytes) {
			return undefined;
		}

		chunks.push(chunk);
	}

	return Buffer.concat(chunks);
}
