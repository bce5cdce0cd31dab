import type {Socket} from 'node:net';

/** What a client begins with. */
export type Opening = {
	/** Whether that is a TLS handshake. */
	readonly isTls: boolean;
	/** The name that it asks for by SNI (RFC 6066, section 3), in lower case. */
	readonly servername: string | null;
};

/** The first byte of a TLS record that holds a handshake, and its header with that of the message in it. */
const handshake = 0x16;
const recordHeader = 5;
const messageHeader = 4;

/** Whether bytes begin a TLS handshake. */
export function beginsHandshake(bytes: Buffer): boolean {
	return bytes[0] === handshake && (bytes.length < 2 || bytes[1] === 3);
}

/**
 * Looks at what a client begins with, and leaves it to be read from the socket. The name is looked for in the first record,
 * of 16 KiB at most, as it is written by all; undefined when the client leaves before.
 */
export function peekOpening(socket: Socket): Promise<Opening | undefined> {
	return new Promise(resolve => {
		const chunks: Buffer[] = [];
		let length = 0;
		let wanted = 1;
		const finish = (opening?: Opening) => {
			socket.off('readable', read).off('close', leave);
			if (opening) {
				socket.unshift(Buffer.concat(chunks));
			}

			resolve(opening);
		};
		const leave = () => finish();
		const read = () => {
			for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
				chunks.push(chunk);
				length += chunk.length;
			}

			// Most of what comes byte by byte is not put together until all of it is there.
			while (length >= wanted) {
				const bytes = Buffer.concat(chunks);
				const next = beginsHandshake(bytes) ? recordLength(bytes) : 0;
				if (length >= next) {
					finish({isTls: next > 0, servername: next > 0 ? servernameIn(bytes.subarray(0, next)) : null});
					return;
				}

				wanted = next;
			}
		};
		socket.on('readable', read).on('close', leave);
		read();
	});
}

function recordLength(bytes: Buffer): number {
	return bytes.length < recordHeader ? recordHeader : recordHeader + Math.min(bytes.readUInt16BE(3), 0x4000);
}

/** Of a ClientHello (RFC 8446, section 4.1.2); null where there is none, or nothing that could be a name. */
function servernameIn(record: Buffer): string | null {
	const short = (at: number) => ((record[at] ?? 0) << 8) | (record[at + 1] ?? 0);
	// Version and random, then the session id, the ciphers and the compressions, each with its length.
	let at = recordHeader + messageHeader + 34;
	at += 1 + (record[at] ?? 0);
	at += 2 + short(at);
	at += 1 + (record[at] ?? 0);
	for (at += 2; at < record.length; at += 4 + short(at + 2)) {
		// Extension 0 is a list of names, of which there is one kind, and one of it.
		if (short(at) === 0) {
			const name = record.toString('latin1', at + 9, at + 9 + short(at + 7));
			return /^[\w.-]{1,255}$/.test(name) ? name.toLowerCase() : null;
		}
	}

	return null;
}
