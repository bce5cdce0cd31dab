import {once} from 'node:events';
import net from 'node:net';

/**
 * @typedef {{host: string, port: number}} Address
 * @typedef {(client: net.Socket, upstream: net.Socket, address: Address) => void} Relay
 */

/**
 * Relays between clients and a server, each with a defect that a check must detect.
 * @type {Record<'normalizing' | 'completing' | 'wrapping' | 'slow' | 'disconnecting' | 'hostRewriting' | 'sanitizing' | 'sharedLogin', Relay>}
 */
export const wrongRelays = {
	/** Normalizes line ends, which allows SMTP smuggling. */
	normalizing: changing(text => text.replace(/\r\n|\r|\n/g, '\r\n')),
	/** Breaks lines longer than the SMTP limit. */
	wrapping: changing(text => text.replace(/[^\r\n]{1000}/g, '$&\r\n')),
	/** Replaces the host and origin of every request by the host of the server, like a misconfigured proxy. */
	hostRewriting: changing((text, {host, port}) => {
		const [, line = '', fields = '', rest = ''] = /^(.*\r\n)((?:.+\r\n)*)(\r\n[\s\S]*)$/.exec(text) ?? [];
		const others = fields.replace(/^(host|origin|sec-fetch-site):.*\r\n/gim, '');
		return `${line.replace(/ https?:\/\/[^/]*/, ' ')}Host: ${host}:${port}\r\n${others}${rest}`;
	}),
	/** Replaces every login by its own. */
	sharedLogin: changing(text => text.replace(/^AUTH PLAIN .*/m, `AUTH PLAIN ${btoa('\0relay\0relay')}`)),
	/** Makes malicious bodies harmless instead of rejecting them. */
	sanitizing: changing((text, {host, port}) =>
		text.replace(/^host: .*/im, `Host: ${host}:${port}`).replace(/__proto__/g, '--proto--'),
	),
	/** Completes the mail of a client that disconnected, and keeps the connection open. */
	completing(client, upstream) {
		client.pipe(upstream, {end: false});
		client.on('close', () => upstream.write('\r\n.\r\n'));
	},
	/** Forwards one byte at a time. */
	slow(client, upstream) {
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
	/** Closes connections after half a second. */
	disconnecting(client, upstream) {
		client.pipe(upstream);
		setTimeout(() => upstream.destroy(), 500).unref();
	},
};

/**
 * A relay that changes each chunk from the client.
 * @param {(text: string, address: Address) => string} change gets one character per byte
 * @returns {Relay}
 */
function changing(change) {
	return (client, upstream, address) => {
		client.setEncoding('latin1').on('data', text => upstream.write(change(String(text), address), 'latin1'));
		client.on('close', () => upstream.destroy());
	};
}

/**
 * Starts a relay in front of a server.
 * @param {Address} address of the server
 * @param {keyof typeof wrongRelays} name
 * @returns {Promise<Address & {close: () => Promise<void>}>} the address of the relay
 */
export async function startRelay(address, name) {
	/** @type {Set<net.Socket>} */
	const upstreams = new Set();
	const server = net.createServer(client => {
		const upstream = net.connect(address);
		upstreams.add(upstream);
		upstream.pipe(client);
		wrongRelays[name](client, upstream, address);
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
	const own = server.address();
	return {
		host: '127.0.0.1',
		port: typeof own === 'object' && own ? own.port : 0,
		async close() {
			server.close();
			for (const upstream of upstreams) {
				upstream.destroy();
			}
		},
	};
}
