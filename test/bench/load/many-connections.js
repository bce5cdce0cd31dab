import {once} from 'node:events';
import net from 'node:net';

/** How many are being opened at the same time. */
const atOnce = 100;

/**
 * Opens many connections and has each say something; `talk` resolves when a connection is as it shall stay.
 * @param {import('./smtp-load.js').Address} address
 * @param {number} count
 * @param {(socket: net.Socket) => Promise<unknown>} talk
 */
export async function openMany({host, port}, count, talk) {
	/** @type {net.Socket[]} */
	const sockets = [];
	let left = count;
	await Promise.all(
		Array.from({length: atOnce}, async () => {
			while (left-- > 0) {
				const socket = net.connect({host, port});
				sockets.push(socket);
				await once(socket, 'connect');
				// Those that the server ends are ours to end as well.
				socket.on('error', () => socket.destroy());
				await talk(socket);
			}
		}),
	);
	return {
		sockets,
		/** How many of them the server has not ended. */
		open: () => sockets.filter(socket => socket.readable).length,
		close() {
			for (const socket of sockets) {
				socket.destroy();
			}
		},
	};
}

/**
 * @param {net.Socket} socket
 * @param {string} text
 */
export function write(socket, text) {
	return new Promise(resolve => socket.write(text, resolve));
}
