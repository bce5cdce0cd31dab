import {once} from 'node:events';
import net from 'node:net';

/**
 * Relays between clients and a daemon, each wrong on purpose in a way that one suite must find.
 * @type {Record<string, (client: net.Socket, upstream: net.Socket) => void>}
 */
const relays = {
	/** Mends line ends, as relays did that let mail be smuggled in. */
	normalising(client, upstream) {
		client.setEncoding('latin1').on('data', text => {
			upstream.write(String(text).replace(/\r\n|\r|\n/g, '\r\n'), 'latin1');
		});
		client.on('close', () => upstream.destroy());
	},
	/** Ends the mail for a client that left, and stays. */
	finishing(client, upstream) {
		client.pipe(upstream, {end: false});
		client.on('close', () => upstream.write('\r\n.\r\n'));
	},
	/** Passes one byte at a time. */
	sluggish(client, upstream) {
		/** @type {number[]} */
		const waiting = [];
		client.on('data', chunk => waiting.push(...Buffer.from(chunk)));
		const drip = setInterval(() => {
			const byte = waiting.shift();
			if (byte !== undefined) {
				upstream.write(Buffer.of(byte));
			}
		}, 20);
		client.on('close', () => {
			clearInterval(drip);
			upstream.destroy();
		});
	},
};

/**
 * The daemon behind one of the relays; stopping ends both.
 * @param {import('./start.js').Proven} daemon
 * @param {keyof typeof relays} name
 * @returns {Promise<import('./start.js').Proven>}
 */
export async function behindRelay(daemon, name) {
	/** @type {Set<net.Socket>} */
	const upstreams = new Set();
	const server = net.createServer(client => {
		const upstream = net.connect(daemon.smtp);
		upstreams.add(upstream);
		upstream.pipe(client);
		relays[name]?.(client, upstream);
		client.on('error', () => {});
		upstream
			.on('error', () => {})
			.on('close', () => {
				upstreams.delete(upstream);
				client.destroy();
			});
	});
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	const address = server.address();
	return {
		...daemon,
		smtp: {host: '127.0.0.1', port: typeof address === 'object' && address ? address.port : 0},
		async stop() {
			server.close();
			for (const upstream of upstreams) {
				upstream.destroy();
			}

			await daemon.stop();
		},
	};
}
