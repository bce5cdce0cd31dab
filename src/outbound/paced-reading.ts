import type {Socket} from 'node:net';
import type {Pace} from '../lib/pace.js';

/** Bytes that a connection hands on at a time. */
const pieceLength = 2048;

/**
 * Has a connection on which nothing has come yet hand on what it receives piece by piece, in turns with the others; a byte
 * costs 1. To parse a byte of one answer can take a hundred times as long as one of another.
 */
export function paceReading(socket: Socket, pace: Pace): void {
	const push = socket.push.bind(socket);
	const read = socket._read.bind(socket);
	/** Null stands for the end. */
	const held: Array<Buffer | null> = [];
	let wantsMore = true;
	const handOn = () => {
		const piece = held.shift();
		if (piece === undefined || socket.destroyed) {
			return {cost: 0, hasMore: false};
		}

		wantsMore = push(piece);
		return {cost: piece?.length ?? 0, hasMore: held.length > 0};
	};
	socket._read = size => {
		// What is held comes first, and is all that is kept of what the other side sends.
		if (held.length === 0) {
			read(size);
		}
	};
	socket.push = (chunk: Buffer | null) => {
		held.push(...(chunk === null ? [null] : piecesOf(chunk)));
		pace.add(handOn);
		return held.length === 0 && wantsMore;
	};
}

function piecesOf(bytes: Buffer): Buffer[] {
	const count = Math.ceil(bytes.length / pieceLength);
	return Array.from({length: count}, (_, index) => bytes.subarray(index * pieceLength, (index + 1) * pieceLength));
}
