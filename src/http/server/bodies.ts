import type {IncomingMessage, ServerResponse} from 'node:http';
import type {Context} from 'koa';
import {AppError, invalidField} from '../../domain/errors.js';
import {readBytes} from '../../lib/io/streams.js';
import {Admission} from '../../lib/queue/admission.js';
import {NotJson, parseJson} from '../../lib/text/json.js';
import {formatSize} from '../../lib/text/units.js';
import type {RequestTurns} from './holders.js';
import {HttpProblem, refuseConnection} from './problems.js';

/** Maximum length of a body that is read without queueing. */
const maxSmallBytes = 16 * 1024;

type Exchange = {readonly req: IncomingMessage; readonly res: ServerResponse};

/** Minimum progress of a body that holds a place for which a holder with fewer places waits. It is checked every `everyMs`. */
const progress = {bytes: 64 * 1024, checks: 8, everyMs: 250};

/** Number of checks without this progress after which any body is rejected: 30 seconds. */
const maxSlowChecks = 120;

/** Number of checks after which any body is rejected if a holder with fewer places waits: 15 seconds. */
const maxOwedChecks = 60;

/**
 * Queue of request bodies. Holders take turns to send large ones, so that the total size in memory is bounded. If a holder with fewer
 * places waits, a slow body loses its place after 2 seconds, and any body after 15 seconds. The time in the queue does not count.
 */
export class BodyQueue {
	readonly #places: Admission;
	readonly #turns: RequestTurns;

	constructor(places: number, turns: RequestTurns) {
		this.#places = new Admission({concurrency: places, givesSlotsInTurn: true});
		this.#turns = turns;
	}

	/**
	 * Runs `work` with the body, in a turn of the holder. The body is undefined if it is longer than `maxBytes`. Rejects if the client
	 * disconnects or was too slow.
	 */
	async take<T>(exchange: Exchange, maxBytes: number, work: (body: Buffer | undefined) => T | Promise<T>): Promise<T> {
		const {req: request} = exchange;
		const length = declaredLength(request);
		if (length > maxBytes && Number.isFinite(length)) {
			return work(undefined);
		}

		if (!isLarge(request)) {
			const body = await readBody(exchange, maxBytes, () => false);
			await this.#turns.admit(request, exchange.res);
			return work(body);
		}

		const holder = this.#turns.holderOf(request);
		await pauseBody(request);
		return this.#places.run(holder, async () => {
			request.socket.resume();
			const body = await readBody(exchange, maxBytes, () => this.#places.isOwed(holder));
			await this.#turns.admit(request, exchange.res);
			return work(body);
		});
	}
}

/** True if a body is read in turns. A compressed body can have any length. */
export function isLarge(request: IncomingMessage): boolean {
	return declaredLength(request) > maxSmallBytes || request.headers['content-encoding'] !== undefined;
}

/** Length of a body in bytes; infinite if unknown. */
export function declaredLength({headers}: IncomingMessage): number {
	return headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : Number.POSITIVE_INFINITY;
}

/** Pauses a body until its turn. Chunks that have arrived are joined, because a chunk of one byte takes a hundred bytes. */
export async function pauseBody(request: IncomingMessage): Promise<void> {
	const buffered = request.complete ? null : request.read();
	if (buffered !== null) {
		request.unshift(buffered);
	}

	// `read()` resumes the socket in the next tick.
	await new Promise<void>(resolve => process.nextTick(resolve));
	request.socket.pause();
}

/** Reads a body. A slow one is refused with its connection. `isOwed` is true if its place is needed. */
async function readBody(
	{req: request, res: response}: Exchange,
	maxBytes: number,
	isOwed: () => boolean,
): Promise<Buffer | undefined> {
	// HTTP/1.0 has no `Expect` (RFC 9110, section 10.1.1).
	if (request.headers.expect !== undefined && request.httpVersion !== '1.0') {
		response.writeContinue();
	}

	let [seen, slowChecks, checks] = [request.socket.bytesRead, 0, 0];
	const timer = setInterval(() => {
		checks++;
		const {bytesRead} = request.socket;
		const isEnough = bytesRead - seen >= progress.bytes;
		slowChecks = isEnough ? 0 : slowChecks + 1;
		seen = isEnough ? bytesRead : seen;
		const isTooSlow = slowChecks >= progress.checks || checks >= maxOwedChecks;
		if (slowChecks >= maxSlowChecks || (isTooSlow && isOwed())) {
			clearInterval(timer);
			refuseConnection(request.socket, tooSlow());
		}
	}, progress.everyMs);
	try {
		return await readBytes(request, maxBytes);
	} finally {
		clearInterval(timer);
	}
}

function tooSlow(): HttpProblem {
	return new HttpProblem(
		'timed_out',
		'The request body was received too slowly. Send at least 64 KiB in 2 seconds and the whole body in 15 seconds while others wait, and 64 KiB in 30 seconds otherwise.',
	);
}

const maxJsonBytes = 1024 * 1024;

/** Maximum number of commas and opening brackets, which limits the number of values to parse and validate. */
const maxValues = 10_000;

/** Reader of JSON bodies. */
export class JsonBodies {
	readonly #queue: BodyQueue;

	constructor(turns: RequestTurns) {
		this.#queue = new BodyQueue(64, turns);
	}

	/**
	 * Reads at most 1 MiB; undefined for no body. Throws `too_large`, `HttpProblem` for another media type or invalid JSON, and
	 * `invalid_input` for a forbidden key.
	 */
	async read(exchange: Exchange): Promise<unknown> {
		const {req: request} = exchange;
		if (declaredLength(request) === 0) {
			return undefined;
		}

		assertJson(request);
		return this.#queue.take(exchange, maxJsonBytes, bytes => {
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

/** Uses native searches, which are much faster than a loop over the bytes. */
function hasTooManyValues(bytes: Buffer): boolean {
	let count = 0;
	for (const sign of [',', '[', '{']) {
		for (let at = bytes.indexOf(sign); at !== -1 && count <= maxValues; at = bytes.indexOf(sign, at + 1)) {
			count += 1;
		}
	}

	return count > maxValues;
}

/** Media type of mail (RFC 2046, section 5.2.1). */
export const mailType = 'message/rfc822';

/** Reader of bodies that are mails. */
export class MailBodies {
	readonly #queue: BodyQueue;

	constructor(turns: RequestTurns) {
		this.#queue = new BodyQueue(4, turns);
	}

	/** Runs `work` with the mail. Throws `HttpProblem` for another media type or an empty mail, and `too_large`. */
	async take<T>(ctx: Context, maxBytes: number, work: (mail: Buffer) => Promise<T>): Promise<T> {
		const [type = ''] = ctx.get('Content-Type').split(';', 1);
		if (type.trim().toLowerCase() !== mailType || ctx.get('Content-Encoding') !== '') {
			throw new HttpProblem(
				'unsupported_media_type',
				`The body must be the source of a mail, sent with "Content-Type: ${mailType}".`,
			);
		}

		return this.#queue.take(ctx, maxBytes, async mail => {
			assertMailSize(mail?.length ?? Number.POSITIVE_INFINITY, maxBytes);

			if (!mail?.length) {
				throw new HttpProblem('malformed', 'The mail is empty.');
			}

			return work(mail);
		});
	}
}

export function assertMailSize(bytes: number, maxBytes: number): void {
	if (bytes > maxBytes) {
		throw new AppError('too_large', `The mail is larger than the limit of ${formatSize(maxBytes)}.`);
	}
}
