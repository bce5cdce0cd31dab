import type {Socket} from 'node:net';
import type {Pace} from './pace.js';

export type PacedReading = {
	/** Keeps back what is received from now on, and soon no more is; or goes on. */
	hold(isHeld: boolean): void;
};

/**
 * Has a connection on which nothing has come yet hand on what it receives in pieces of so many bytes, in turns with the others;
 * a byte costs 1. To parse one byte can take a hundred times as long as another.
 */
export function paceReading(socket: Socket, pace: Pace, pieceLength: number): PacedReading {
	const push = socket.push.bind(socket);
	const read = socket._read.bind(socket);
	/** Null stands for the end. */
	const received: Array<Buffer | null> = [];
	let wantsMore = true;
	let isHeld = false;
	const handOn = () => {
		const piece = isHeld ? undefined : received.shift();
		if (piece === undefined || socket.destroyed) {
			return {cost: 0, hasMore: false};
		}

		wantsMore = push(piece);
		return {cost: piece?.length ?? 0, hasMore: received.length > 0};
	};
	socket._read = size => {
		// What was received comes first, and is all that is kept of what the other side sends.
		if (received.length === 0) {
			read(size);
		}
	};
	socket.push = (chunk: Buffer | null) => {
		// Whoever left waits for nothing.
		isHeld &&= chunk !== null;
		received.push(...(chunk === null ? [null] : cut(chunk, pieceLength)));
		pace.add(handOn);
		return received.length === 0 && wantsMore;
	};
	return {
		hold(isToBe) {
			isHeld = isToBe;
			pace.add(handOn);
		},
	};
}

function cut(bytes: Buffer, length: number): Buffer[] {
	const count = Math.ceil(bytes.length / length);
	return Array.from({length: count}, (_, index) => bytes.subarray(index * length, (index + 1) * length));
}
