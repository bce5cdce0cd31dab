import {once} from 'node:events';
import {createRequire} from 'node:module';
import {Worker} from 'node:worker_threads';
import {type SendFailure, type SentMail, Unsent} from '../domain/mail/sending.js';
import {errorCode} from '../lib/errors.js';
import {FairQueue} from '../lib/queue/fair-queue.js';
import {composeMail} from '../mime/compose/mail.js';
import {type Answer, type Provider, SendError, type SendRequest, type SendRoute} from './provider.js';

/** A mail that is asked for and its source; one that is not sent, which nobody is to know; or the answer that stands in its place. */
export type Prepared =
	| {readonly mail: SentMail; readonly source: Buffer}
	| {readonly unsent: SentMail}
	| {readonly answer: Answer};

/** The same, or a mail that is to be filled in first. */
export type ReadRequest = Prepared | {readonly unfilled: SentMail};

/** Fills in the template of a mail; undefined where the provider takes it and never sends it. An answer stands in the place of a mail that is refused by itself. */
type FillMail = (mail: SentMail) => Promise<SentMail | Answer | undefined>;

/** Bytes of all mails that one request asks for. */
const maxBytes = 256 * 1024 * 1024;

/** Reads a request, and composes the mails that it asks for and that have no template. Throws as the provider does. */
export async function beginMails(
	route: Pick<SendRoute, 'read'>,
	request: SendRequest,
): Promise<readonly ReadRequest[]> {
	const begun: ReadRequest[] = [];
	const read = await route.read(request);
	assertSum(read.reduce((sum, one) => sum + ('envelope' in one && !one.template ? contentBytes(one) : 0), 0));
	let size = 0;
	for (const one of read) {
		if (!('envelope' in one)) {
			begun.push({answer: one});
		} else if (one.template) {
			begun.push({unfilled: one});
		} else {
			const source = await sourceOf(one);
			size = checkedSum(size, source);
			begun.push({mail: one, source});
		}
	}

	return begun;
}

/** Fills in and composes the others. Throws as the provider does. */
async function finishMails(begun: readonly ReadRequest[], fill: FillMail): Promise<readonly Prepared[]> {
	const prepared: Prepared[] = [];
	let size = 0;
	for (const one of begun) {
		if ('unfilled' in one) {
			const filled = await fill(one.unfilled);
			if (filled === undefined) {
				prepared.push({unsent: one.unfilled});
			} else if ('envelope' in filled) {
				const source = await sourceOf(filled);
				size = checkedSum(size, source);
				prepared.push({mail: filled, source});
			} else {
				prepared.push({answer: filled});
			}
		} else {
			prepared.push(one);
		}
	}

	return prepared;
}

async function sourceOf({content}: SentMail): Promise<Buffer> {
	return 'raw' in content ? withMailLineEnds(content.raw) : composeMail(content);
}

/** No source has fewer bytes than what it is made of. */
function contentBytes({content}: SentMail): number {
	if ('raw' in content) {
		return content.raw.length;
	}

	const {text = '', html = '', amp = '', attachments} = content;
	return attachments.reduce((sum, one) => sum + one.content.length, text.length + html.length + amp.length);
}

function checkedSum(size: number, {length}: Buffer): number {
	assertSum(size + length);
	return size + length;
}

function assertSum(size: number): void {
	if (size > maxBytes) {
		throw new Unsent({type: 'too_large', maxBytes});
	}
}

/** Providers take mail with bare line feeds, as programs compose it, and send it with the line ends of mail. */
function withMailLineEnds(raw: Buffer): Buffer {
	return Buffer.from(raw.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1');
}

/** Request for the worker thread, with the index of its route. */
export type SendTask = {
	readonly provider: Provider['name'];
	readonly route: number;
	readonly request: Omit<SendRequest, 'query'> & {readonly query: string};
};

/** What came of it; of a bug the thread ends with it. */
export type SendTaskOutcome =
	| {readonly begun: readonly ReadRequest[]}
	| {readonly answer: Answer}
	| {readonly failure: SendFailure};

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
