import {once} from 'node:events';
import net from 'node:net';
import {onTestFinished} from 'vitest';

/** A relay between nodes and a server that can cut connections. */
export type Relay = {
	/** URL of the server through the relay. */
	readonly url: string;
	/** Cuts the next connection on which the server is about to send this text, before it is sent. Resolves when it has. */
	cutAt(word: string): Promise<void>;
	/** Cuts all open connections when a client sends this text. Later connections stay open. */
	cutAllAt(word: string): void;
	/** Cuts each connection after this many bytes, even in the middle of a message; 0 disables that. */
	cutAfter(bytes: number): void;
};

/** Closed after the test. */
export async function startRelay(serverUrl: string): Promise<Relay> {
	const {hostname, port} = new URL(serverUrl);
	let armed: {readonly word: string; readonly cut: () => void} | undefined;
	let fatalWord: string | undefined;
	let maxBytes = Number.POSITIVE_INFINITY;
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

		let passed = 0;
		const pass = (chunk: Buffer, to: net.Socket) => {
			to.write(chunk.subarray(0, Math.max(0, maxBytes - passed)));
			passed += chunk.length;
			if (passed >= maxBytes) {
				client.destroy();
			}
		};
		client.on('data', (chunk: Buffer) => {
			if (fatalWord !== undefined && chunk.includes(fatalWord)) {
				fatalWord = undefined;
				for (const socket of sockets) {
					socket.destroy();
				}
			} else {
				pass(chunk, server);
			}
		});
		server.on('data', (chunk: Buffer) => {
			if (armed && chunk.includes(armed.word)) {
				armed.cut();
				armed = undefined;
				client.destroy();
			} else {
				pass(chunk, client);
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
		cutAllAt: word => {
			fatalWord = word;
		},
		cutAfter: bytes => {
			maxBytes = bytes === 0 ? Number.POSITIVE_INFINITY : bytes;
		},
	};
}
