import net from 'node:net';

export type RawResponse = {
	readonly status: number;
	/** Values by lower-case name. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
};

/** Sends these bytes on a new connection and reads until the server closes it, or until an event stream has begun. */
export async function sendRaw(
	port: number,
	request: string,
	socket: net.Socket = net.connect(port, '127.0.0.1'),
): Promise<RawResponse> {
	socket.write(request);
	const chunks: Buffer[] = [];
	for await (const chunk of socket) {
		chunks.push(chunk);
		if (isStreaming(Buffer.concat(chunks).toString())) {
			break;
		}
	}

	return parseResponse(Buffer.concat(chunks).toString());
}

function isStreaming(text: string): boolean {
	return /^content-type: text\/event-stream[\s\S]*\ndata: /im.test(text);
}

export function parseResponse(text: string): RawResponse {
	const [head = '', ...body] = text.split('\r\n\r\n');
	const [statusLine = '', ...lines] = head.split('\r\n');
	const headers = lines.map(line => [
		line.slice(0, line.indexOf(':')).toLowerCase(),
		line.slice(line.indexOf(':') + 2),
	]);
	return {status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body: body.join('\r\n\r\n')};
}
