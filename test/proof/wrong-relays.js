import {once} from 'node:events';
import net from 'node:net';

/**
 * @typedef {import('./start.js').Proven} Proven
 * @typedef {(client: net.Socket, upstream: net.Socket, daemon: Proven) => void} Relay
 */

/**
 * Relays between clients and the SMTP of a daemon, each wrong on purpose in a way that one suite must find.
 * @type {Record<string, Relay>}
 */
const smtpRelays = {
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
	/** Breaks long lines, as relays do that were written to the letter of the limits. */
	wrapping(client, upstream) {
		client.setEncoding('latin1').on('data', text => {
			upstream.write(String(text).replace(/[^\r\n]{1000}/g, '$&\r\n'), 'latin1');
		});
		client.on('close', () => upstream.destroy());
	},
	/** Has no patience with those who say nothing. */
	impatient(client, upstream) {
		client.pipe(upstream);
		setTimeout(() => upstream.destroy(), 500).unref();
	},
};

/**
 * The same for HTTP.
 * @type {Record<string, Relay>}
 */
const httpRelays = {
	/** Calls every site ours, as a proxy does that was put in front without a thought. */
	rewriting(client, upstream, {url}) {
		client.setEncoding('latin1').on('data', text => {
			const [, line = '', fields = '', rest = ''] = /^(.*\r\n)((?:.+\r\n)*)(\r\n[\s\S]*)$/.exec(String(text)) ?? [];
			const others = fields.replace(/^(host|origin|sec-fetch-site):.*\r\n/gim, '');
			const target = line.replace(/ https?:\/\/[^/]*/, ' ');
			upstream.write(`${target}Host: ${new URL(url).host}\r\n${others}${rest}`, 'latin1');
		});
		client.on('close', () => upstream.destroy());
	},
	/** Takes the danger out of a body, and says nothing of it. */
	forgiving(client, upstream, {url}) {
		client.setEncoding('latin1').on('data', text => {
			const forwarded = String(text).replace(/^host: .*/im, `Host: ${new URL(url).host}`);
			upstream.write(forwarded.replace(/__proto__/g, '--proto--'), 'latin1');
		});
		client.on('close', () => upstream.destroy());
	},
};

/**
 * The daemon with its SMTP behind one of the relays; stopping ends both.
 * @param {Proven} daemon
 * @param {keyof typeof smtpRelays} name
 * @returns {Promise<Proven>}
 */
export async function behindRelay(daemon, name) {
	const {port, close} = await listen(daemon, daemon.smtp, smtpRelays[name]);
	return {...daemon, smtp: {...daemon.smtp, port}, stop: () => close().then(daemon.stop)};
}

/**
 * The daemon with its HTTP behind one of the relays.
 * @param {Proven} daemon
 * @param {keyof typeof httpRelays} name
 * @returns {Promise<Proven>}
 */
export async function behindProxy(daemon, name) {
	const {hostname: host, port: ownPort} = new URL(daemon.url);
	const {port, close} = await listen(daemon, {host, port: Number(ownPort)}, httpRelays[name]);
	return {...daemon, url: daemon.url.replace(`:${ownPort}/`, `:${port}/`), stop: () => close().then(daemon.stop)};
}

/**
 * @param {Proven} daemon
 * @param {import('./start.js').Address} address of one of its listeners
 * @param {Relay | undefined} relay
 */
async function listen(daemon, address, relay) {
	/** @type {Set<net.Socket>} */
	const upstreams = new Set();
	const server = net.createServer(client => {
		const upstream = net.connect(address);
		upstreams.add(upstream);
		upstream.pipe(client);
		relay?.(client, upstream, daemon);
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
		port: typeof own === 'object' && own ? own.port : 0,
		async close() {
			server.close();
			for (const upstream of upstreams) {
				upstream.destroy();
			}
		},
	};
}
