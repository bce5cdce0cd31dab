import {once} from 'node:events';
import net from 'node:net';

/**
 * @typedef {{host: string, port: number}} Address
 * @typedef {(client: net.Socket, upstream: net.Socket, address: Address) => void} Relay
 */

/**
 * Relays between clients and a server, each wrong on purpose in a way that some check must find.
 * @type {Record<'normalising' | 'finishing' | 'wrapping' | 'sluggish' | 'impatient' | 'rewriting' | 'forgiving' | 'nameless', Relay>}
 */
export const wrongRelays = {
	/** Mends line ends, as relays did that let mail be smuggled in. */
	normalising: changing(text => text.replace(/\r\n|\r|\n/g, '\r\n')),
	/** Breaks long lines, as relays do that were written to the letter of the limits. */
	wrapping: changing(text => text.replace(/[^\r\n]{1000}/g, '$&\r\n')),
	/** Calls every site ours, as a proxy does that was put in front without a thought. */
	rewriting: changing((text, {host, port}) => {
		const [, line = '', fields = '', rest = ''] = /^(.*\r\n)((?:.+\r\n)*)(\r\n[\s\S]*)$/.exec(text) ?? [];
		const others = fields.replace(/^(host|origin|sec-fetch-site):.*\r\n/gim, '');
		return `${line.replace(/ https?:\/\/[^/]*/, ' ')}Host: ${host}:${port}\r\n${others}${rest}`;
	}),
	/** Logs everybody in as somebody of its own. */
	nameless: changing(text => text.replace(/^AUTH PLAIN .*/m, `AUTH PLAIN ${btoa('\0relay\0relay')}`)),
	/** Takes the danger out of a body, and says nothing of it. */
	forgiving: changing((text, {host, port}) =>
		text.replace(/^host: .*/im, `Host: ${host}:${port}`).replace(/__proto__/g, '--proto--'),
	),
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
	/** Has no patience with those who say nothing. */
	impatient(client, upstream) {
		client.pipe(upstream);
		setTimeout(() => upstream.destroy(), 500).unref();
	},
};

/**
 * Passes on each segment as something else.
 * @param {(text: string, address: Address) => string} change each character of the text is a byte
 * @returns {Relay}
 */
function changing(change) {
	return (client, upstream, address) => {
		client.setEncoding('latin1').on('data', text => upstream.write(change(String(text), address), 'latin1'));
		client.on('close', () => upstream.destroy());
	};
}

/**
 * Puts a relay in front of a server.
 * @param {Address} address of the server
 * @param {keyof typeof wrongRelays} name
 * @returns {Promise<Address & {close: () => Promise<void>}>} where the relay listens
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
