import {once} from 'node:events';
import net from 'node:net';
import {onTestFinished} from 'vitest';

/** Stands between nodes and a server, and can cut the connection on which the server says a word. */
export type Relay = {
	/** That of the server, by way of the relay. */
	readonly url: string;
	/** Cuts the next connection on which the server is about to say this, instead of passing it on. Resolves when it has. */
	cutAt(word: string): Promise<void>;
};

/** It ends when the test is over. */
export async function startRelay(serverUrl: string): Promise<Relay> {
	const {hostname, port} = new URL(serverUrl);
	let armed: {readonly word: string; readonly cut: () => void} | undefined;
	const sockets = new Set<net.Socket>();
	const relay = net.createServer(client => {
		const server = net.connect(Number(port), hostname);
		for (const [socket, other] of [
			[client, server],
			[server, client],
		] as const) {
			sockets.add(socket);
			socket.on('error', () => {}).on('close', () => other.destroy());
		}

		client.pipe(server);
		server.on('data', (chunk: Buffer) => {
			if (armed && chunk.includes(armed.word)) {
				armed.cut();
				armed = undefined;
				client.destroy();
			} else {
				client.write(chunk);
			}
		});
	});
	relay.listen(0, '127.0.0.1');
	await once(relay, 'listening');
	onTestFinished(() => {
		relay.close();
		for (const socket of sockets) {
			socket.destroy();
		}
	});
	const url = new URL(serverUrl);
	url.port = String((relay.address() as net.AddressInfo).port);
	return {
		url: url.href,
		cutAt: async word =>
			new Promise(resolve => {
				armed = {word, cut: resolve};
			}),
	};
}
