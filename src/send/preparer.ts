import {once} from 'node:events';
import {createRequire} from 'node:module';
import {Worker} from 'node:worker_threads';
import {Unsent} from '../domain/mail/sending.js';
import {errorCode} from '../lib/errors.js';
import {FairQueue} from '../lib/queue/fair-queue.js';
import {beginMails, type FillMail, finishMails, type Prepared, type ReadRequest} from './prepare.js';
import {type Provider, SendError, type SendRequest, type SendRoute} from './provider.js';
import type {SendTask, SendTaskOutcome} from './worker.js';

/** A request with a body up to this length is read at once, unless its mails may have more bytes in all. */
const maxSmallBytes = 256 * 1024;
const maxSmallMails = 4 * 1024 * 1024;

/** How long a thread may take. */
const deadlineMs = 20_000;

/** Of a thread. */
const resourceLimits = {maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16};

/** Makes mails of requests: of large ones in threads of their own, a few at a time, for which their owners take turns. */
export class Preparer {
	readonly #places = new FairQueue(3);

	/** Throws as the provider does, and that a request is `too_large` where it takes too long or too much memory. */
	async prepare(
		owner: string,
		provider: Provider,
		route: SendRoute,
		request: SendRequest,
		fill: FillMail,
	): Promise<readonly Prepared[]> {
		const begun = isSmall(request.body)
			? await beginMails(route, request)
			: await this.#places.run(owner, async () => beginApart(provider, route, request));
		return finishMails(begun, fill);
	}
}

/** Each recipient may get a mail of its own with all that the body has. */
function isSmall(body: Buffer): boolean {
	const maxRecipients = maxSmallMails / body.length;
	let recipients = 0;
	for (const sign of ['@', '%40', 'u0040']) {
		for (let at = body.indexOf(sign); at !== -1 && recipients <= maxRecipients; at = body.indexOf(sign, at + 1)) {
			recipients += 1;
		}
	}

	return body.length <= maxSmallBytes && recipients <= maxRecipients;
}

async function beginApart(
	{name, routes}: Provider,
	route: SendRoute,
	{query, ...request}: SendRequest,
): Promise<readonly ReadRequest[]> {
	const task: SendTask = {provider: name, route: routes.indexOf(route), request: {...request, query: String(query)}};
	const file = createRequire(import.meta.url).resolve('#send-worker');
	const worker = new Worker(file, {workerData: task, resourceLimits, execArgv: []});
	try {
		const [outcome] = await once(worker, 'message', {signal: AbortSignal.timeout(deadlineMs)});
		return resultOf(outcome as SendTaskOutcome);
	} catch (error) {
		const isTooMuch =
			error instanceof Error && (error.name === 'AbortError' || errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY');
		throw isTooMuch ? new Unsent({type: 'too_large', maxBytes: request.body.length}) : error;
	} finally {
		void worker.terminate();
	}
}

function resultOf(outcome: SendTaskOutcome): readonly ReadRequest[] {
	if ('answer' in outcome) {
		throw new SendError(outcome.answer);
	}

	if ('failure' in outcome) {
		throw new Unsent(outcome.failure);
	}

	// Threads hand over plain bytes.
	return outcome.begun.map(one => ('mail' in one ? {...one, source: bufferOf(one.source)} : one));
}

function bufferOf(bytes: Uint8Array): Buffer {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
