import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import net from 'node:net';

/** Number of connections opened concurrently. */
const atOnce = 100;

/** Open files that a process needs besides these connections. */
const ownFiles = 2000;

/**
 * Throws if the limit of open files is too low. Node.js raises the soft limit to the hard limit by itself.
 * @param {number} connections
 */
export function assertOpenFiles(connections) {
	const limit = execFileSync('sh', ['-c', 'ulimit -n'], {encoding: 'utf8'}).trim();
	if (limit !== 'unlimited' && Number(limit) < connections + ownFiles) {
		throw new Error(
			`${connections} connections need ${connections + ownFiles} open files, and this shell allows ${limit}. ` +
				`Raise the limit (ulimit -n ${connections * 2}; in a container, --ulimit nofile=${connections * 2}) and run this again.`,
		);
	}
}

/**
 * Opens many connections and runs `talk` on each.
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
				// Also close connections that the server has closed.
				socket.on('error', () => socket.destroy());
				await talk(socket);
			}
		}),
	);
	return {
		sockets,
		/** Number of connections that the server has not closed. */
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
