import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Context} from 'koa';
import {AppError, invalidField} from '../../domain/errors.js';
import {readBytes} from '../../lib/io/streams.js';
import {FairQueue} from '../../lib/queue/fair-queue.js';
import {NotJson, parseJson} from '../../lib/text/json.js';
import {formatSize} from '../../lib/text/units.js';
import {HttpProblem} from './problems.js';

/** A body up to this length does not wait for a turn. */
const maxSmallBytes = 16 * 1024;

type Exchange = {readonly req: IncomingMessage; readonly res: ServerResponse};

/**
 * Reads bodies. Users take turns with large ones, which are not read before: what has come of all bodies is bounded, and who
 * sends many, or slowly, delays nobody else.
 */
export class BodyQueue {
	readonly #turns: FairQueue;

	/** As many large bodies are read at once, of all users. */
	constructor(places: number) {
		this.#turns = new FairQueue(places);
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

const maxBytes = 1024 * 1024;

/** Commas and opening brackets of a body, which is about as many values: to read and check very many takes long. */
const maxValues = 10_000;

/** Reads JSON bodies, in turns. */
export class JsonBodies {
	readonly #turns = new BodyQueue(64);

	/**
	 * The body of a request; undefined when there is none. Reads no further than 1 MiB. Throws `too_large`, and
	 * `HttpProblem` for another media type or a body that is no JSON; `invalid_input` for a key that no object here has.
	 */
	async read(owner: string, exchange: {readonly req: IncomingMessage; readonly res: ServerResponse}): Promise<unknown> {
		const {req: request} = exchange;
		if (declaredLength(request) === 0) {
			return undefined;
		}

		assertJson(request);
		return this.#turns.take(owner, exchange, maxBytes, bytes => {
			if (bytes === undefined) {
				throw new AppError('too_large', 'The body is larger than 1 MiB. Send a smaller one.');
			}

			return bytes.length === 0 ? undefined : parse(bytes);
		});
	}
}

function assertJson({headers}: IncomingMessage): void {
	const type = headers['content-type'] ?? '';
	if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type) || headers['content-encoding'] !== undefined) {
		throw new HttpProblem(
			'unsupported_media_type',
			'The body must be JSON, sent with "Content-Type: application/json".',
		);
	}
}

function parse(bytes: Buffer): unknown {
	if (hasTooManyValues(bytes)) {
		throw new HttpProblem(
			'malformed',
			`The body has more than ${maxValues} commas and opening brackets. Send fewer values.`,
		);
	}

	try {
		return parseJson(bytes);
	} catch (error) {
		if (error instanceof NotJson) {
			throw error.key === undefined
				? new HttpProblem('malformed', `The body ${error.message}.`)
				: invalidField(error.key, 'is not allowed as a field name');
		}

		throw error;
	}
}

/** By native searches, which take a small part of the time that a look at each byte takes. */
function hasTooManyValues(bytes: Buffer): boolean {
	let count = 0;
	for (const sign of [',', '[', '{']) {
		for (let at = bytes.indexOf(sign); at !== -1 && count <= maxValues; at = bytes.indexOf(sign, at + 1)) {
			count += 1;
		}
	}

	return count > maxValues;
}

/** The type of mail as it is (RFC 2046, section 5.2.1). */
export const mailType = 'message/rfc822';

/** Reads requests whose body is a mail, in turns. */
export class MailBodies {
	readonly #turns = new BodyQueue(4);

	/** Does the work with the mail. Throws `HttpProblem` for another media type or no mail, and `too_large`. */
	async take<T>(owner: string, ctx: Context, maxBytes: number, work: (mail: Buffer) => Promise<T>): Promise<T> {
		const [type = ''] = ctx.get('Content-Type').split(';', 1);
		if (type.trim().toLowerCase() !== mailType || ctx.get('Content-Encoding') !== '') {
			throw new HttpProblem(
				'unsupported_media_type',
				`The body must be the source of a mail, sent with "Content-Type: ${mailType}".`,
			);
		}

		return this.#turns.take(owner, ctx, maxBytes, async mail => {
			assertMailSize(mail?.length ?? Number.POSITIVE_INFINITY, maxBytes);

			if (!mail?.length) {
				throw new HttpProblem('malformed', 'The mail is empty.');
			}

			return work(mail);
		});
	}
}

/** Throws `too_large`. */
export function assertMailSize(bytes: number, maxBytes: number): void {
	if (bytes > maxBytes) {
		throw new AppError('too_large', `The mail is larger than the limit of ${formatSize(maxBytes)}.`);
	}
}
