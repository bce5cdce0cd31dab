import type {Socket} from 'node:net';
import {Duplex} from 'node:stream';
import {paceReading} from '../lib/io/sockets.js';
import type {TurnBudget} from '../lib/queue/event-loop.js';

type LimitedStreamOptions = {
	readonly pace: TurnBudget;
	/** Bytes delivered at once. */
	readonly pieceLength: number;
};

/**
 * Connection that delivers what it receives in turns with other connections, and fails after a number of bytes. A TLS stream
 * above it gets its data from here too, which it would not from a `Socket`. So TLS messages without data, such as session
 * tickets, are limited as well.
 */
export class LimitedStream extends Duplex {
	readonly #socket: Socket;
	#left = Number.POSITIVE_INFINITY;
	#error = () => new Error('The peer sent too much.');

	constructor(socket: Socket, {pace, pieceLength}: LimitedStreamOptions) {
		super();
		this.#socket = socket;
		paceReading(socket, pace, pieceLength);
		socket.on('data', chunk => {
			this.#left -= chunk.length;
			if (this.#left < 0) {
				this.destroy(this.#error());
			} else if (!this.push(chunk)) {
				socket.pause();
			}
		});
		socket.once('end', () => this.push(null));
		socket.once('close', () => this.destroy());
		socket.once('error', error => this.destroy(error));
	}

	/** Fails with this error if more than `bytes` are received from now on. */
	limit(bytes: number, error: () => Error): void {
		this.#left = bytes;
		this.#error = error;
	}

	/** Required by nodemailer. The deadline of the whole mail is shorter than any of its timeouts. */
	setTimeout(): this {
		return this;
	}

	override _read(): void {
		this.#socket.resume();
	}

	override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
		this.#socket.write(chunk, done);
	}

	override _final(done: () => void): void {
		this.#socket.end(done);
	}

	override _destroy(error: Error | null, done: (error: Error | null) => void): void {
		this.#socket.destroy();
		done(error);
	}
}
