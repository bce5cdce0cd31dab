import net from 'node:net';

export type RawAnswer = {
	readonly status: number;
	/** By name in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
};

/** Sends exactly these bytes on a connection of their own, and reads until the server closes it; an event stream, until it begins. */
export async function sendRaw(
	port: number,
	request: string,
	socket: net.Socket = net.connect(port, '127.0.0.1'),
): Promise<RawAnswer> {
	socket.write(request);
	const chunks: Buffer[] = [];
	for await (const chunk of socket) {
		chunks.push(chunk);
		if (isStreaming(Buffer.concat(chunks).toString())) {
			break;
		}
	}

	return parseAnswer(Buffer.concat(chunks).toString());
}

function isStreaming(text: string): boolean {
	return /^content-type: text\/event-stream[\s\S]*\ndata: /im.test(text);
}

export function parseAnswer(text: string): RawAnswer {
	const [head = '', ...body] = text.split('\r\n\r\n');
	const [statusLine = '', ...lines] = head.split('\r\n');
	const headers = lines.map(line => [
		line.slice(0, line.indexOf(':')).toLowerCase(),
		line.slice(line.indexOf(':') + 2),
	]);
	return {status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body: body.join('\r\n\r\n')};
}
