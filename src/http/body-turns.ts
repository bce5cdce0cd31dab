import type {IncomingMessage, ServerResponse} from 'node:http';
import {readBytes} from '../lib/io/streams.js';
import {FairQueue} from '../lib/queue/fair-queue.js';

/** A body up to this length does not wait for a turn. */
const maxSmallBytes = 16 * 1024;

type Exchange = {readonly req: IncomingMessage; readonly res: ServerResponse};

/**
 * Reads bodies. Users take turns with large ones, which are not read before: what has come of all bodies is bounded, and who
 * sends many, or slowly, delays nobody else.
 */
export class BodyTurns {
	readonly #turns: FairQueue<number>;

	/** As many large bodies are read at once, of all users. */
	constructor(places: number) {
		this.#turns = new FairQueue(Array.from({length: places}, (_, index) => index));
	}

	/**
	 * Does the work with the body of a request, which has one; the turn lasts until it is done. The body is undefined when it is
	 * longer than `maxBytes`, as soon as that is known.
	 */
	async take<T>(
		owner: string,
		exchange: Exchange,
		maxBytes: number,
		work: (body: Buffer | undefined) => T | Promise<T>,
	): Promise<T> {
		const {req: request} = exchange;
		const length = declaredLength(request);
		if (length > maxBytes && Number.isFinite(length)) {
			return work(undefined);
		}

		if (!isLarge(request)) {
			return work(await readBody(exchange, maxBytes));
		}

		await holdBack(request);
		return this.#turns.run(owner, async () => {
			request.socket.resume();
			return work(await readBody(exchange, maxBytes));
		});
	}
}

/** Whether the body of a request has to wait for its turn. A packed one may be of any length. */
export function isLarge(request: IncomingMessage): boolean {
	return declaredLength(request) > maxSmallBytes || request.headers['content-encoding'] !== undefined;
}

/** Bytes of the body of a request; infinite where nobody can tell. */
export function declaredLength({headers}: IncomingMessage): number {
	return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
}

/**
 * Reads no more of a body until its turn. What has come in pieces of a byte takes a hundred times its length; joined, it
 * takes no more than that.
 */
export async function holdBack(request: IncomingMessage): Promise<void> {
	const come = request.complete ? null : request.read();
	if (come !== null) {
		request.unshift(come);
	}

	// To read asks the connection for more as soon as this code is done.
	await new Promise<void>(resolve => process.nextTick(resolve));
	request.socket.pause();
}

async function readBody({req: request, res: response}: Exchange, maxBytes: number): Promise<Buffer | undefined> {
	// An older client did not mean it (RFC 9110, section 10.1.1).
	if (request.headers.expect !== undefined && request.httpVersion !== '1.0') {
		response.writeContinue();
	}

	return readBytes(request, maxBytes);
}
