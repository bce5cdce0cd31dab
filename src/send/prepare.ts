import {once} from 'node:events';
import {createRequire} from 'node:module';
import {Worker} from 'node:worker_threads';
import {SendError, type SendFailure, type SentMail} from '../domain/mail/sending.js';
import {errorCode} from '../lib/errors.js';
import {FairQueue} from '../lib/queue/fair-queue.js';
import {composeMail} from '../mime/compose/compose.js';
import type {SubmittedMail} from '../services/sending/sending.js';
import type {Provider, RejectedMail, SendRequest, SendRoute} from './provider.js';

/** Mail of a request whose template is not rendered yet, or which is complete. */
type ReadMail = SubmittedMail | {readonly unrendered: SentMail};

/** Renders the template of a mail. Returns undefined if the provider accepts the mail and never sends it. */
type RenderMail = (mail: SentMail) => Promise<SentMail | RejectedMail | undefined>;

/** Maximum size of all mails of one request. */
const maxBytes = 256 * 1024 * 1024;

/** Reads the mails of a request and composes those without a template. Throws `SendError`. */
export async function readMails(route: Pick<SendRoute, 'read'>, request: SendRequest): Promise<readonly ReadMail[]> {
	const mails: ReadMail[] = [];
	const read = await route.read(request);
	assertTotal(read.reduce((sum, mail) => sum + ('envelope' in mail && !mail.template ? contentBytes(mail) : 0), 0));
	let size = 0;
	for (const mail of read) {
		if (!('envelope' in mail)) {
			mails.push(mail);
		} else if (mail.template) {
			mails.push({unrendered: mail});
		} else {
			const source = await composeSource(mail);
			size = addToTotal(size, source);
			mails.push({mail, source});
		}
	}

	return mails;
}

/** Renders the templates and composes their mails. Throws `SendError`. */
async function renderTemplates(mails: readonly ReadMail[], render: RenderMail): Promise<readonly SubmittedMail[]> {
	const submitted: SubmittedMail[] = [];
	let size = 0;
	for (const mail of mails) {
		if ('unrendered' in mail) {
			const rendered = await render(mail.unrendered);
			if (rendered === undefined) {
				submitted.push({dropped: mail.unrendered});
			} else if ('envelope' in rendered) {
				const source = await composeSource(rendered);
				size = addToTotal(size, source);
				submitted.push({mail: rendered, source});
			} else {
				submitted.push(rendered);
			}
		} else {
			submitted.push(mail);
		}
	}

	return submitted;
}

async function composeSource({content}: SentMail): Promise<Buffer> {
	return 'raw' in content ? withMailLineEnds(content.raw) : composeMail(content);
}

/** Lower bound of the size of a source. */
function contentBytes({content}: SentMail): number {
	if ('raw' in content) {
		return content.raw.length;
	}

	const {text = '', html = '', amp = '', attachments} = content;
	return attachments.reduce((sum, one) => sum + one.content.length, text.length + html.length + amp.length);
}

function addToTotal(size: number, {length}: Buffer): number {
	assertTotal(size + length);
	return size + length;
}

function assertTotal(size: number): void {
	if (size > maxBytes) {
		throw new SendError({type: 'too_large', maxBytes});
	}
}

/** Converts bare line feeds to CRLF, as providers do. */
function withMailLineEnds(raw: Buffer): Buffer {
	return Buffer.from(raw.toString('latin1').replaceAll(/\r?\n/g, '\r\n'), 'latin1');
}

/** Request for the worker thread, with the index of its route. */
export type SendTask = {
	readonly provider: Provider['name'];
	readonly route: number;
	readonly request: Omit<SendRequest, 'query'> & {readonly query: string};
};

/** Result of the worker thread. Unexpected errors end the thread. */
export type SendTaskResult = {readonly mails: readonly ReadMail[]} | {readonly failure: SendFailure};

/** Maximum size of a request that is read in the main thread, and of all its mails together. */
const maxSmallBytes = 256 * 1024;
const maxSmallMails = 4 * 1024 * 1024;

/** Deadline of a worker thread. */
const deadlineMs = 20_000;

/** Memory limits of a worker thread. */
const resourceLimits = {maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16};

/** Reads requests and composes their mails: large requests in worker threads, with a fair queue for the owners. */
export class Preparer {
	readonly #threads = new FairQueue(3);

	/** Reads a request. Throws `SendError`, also with `too_large` if a worker thread exceeds its deadline or memory limit. */
	async prepare(
		owner: string,
		provider: Provider,
		route: SendRoute,
		request: SendRequest,
		render: RenderMail,
	): Promise<readonly SubmittedMail[]> {
		const mails = isSmall(request.body)
			? await readMails(route, request)
			: await this.#threads.run(owner, async () => readMailsInThread(provider, route, request));
		return renderTemplates(mails, render);
	}
}

/** True if the request is small, also if each recipient gets a separate mail with the whole body. */
function isSmall(body: Buffer): boolean {
	const maxRecipients = maxSmallMails / body.length;
	let recipients = 0;
	for (const encodedAt of ['@', '%40', 'u0040']) {
		for (
			let at = body.indexOf(encodedAt);
			at !== -1 && recipients <= maxRecipients;
			at = body.indexOf(encodedAt, at + 1)
		) {
			recipients += 1;
		}
	}

	return body.length <= maxSmallBytes && recipients <= maxRecipients;
}

async function readMailsInThread(
	{name, routes}: Provider,
	route: SendRoute,
	{query, ...request}: SendRequest,
): Promise<readonly ReadMail[]> {
	const task: SendTask = {provider: name, route: routes.indexOf(route), request: {...request, query: String(query)}};
	const file = createRequire(import.meta.url).resolve('#send-worker');
	const worker = new Worker(file, {workerData: task, resourceLimits, execArgv: []});
	try {
		const [result] = await once(worker, 'message', {signal: AbortSignal.timeout(deadlineMs)});
		return mailsOf(result as SendTaskResult);
	} catch (error) {
		const isTooMuch =
			error instanceof Error && (error.name === 'AbortError' || errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY');
		throw isTooMuch ? new SendError({type: 'too_large', maxBytes: request.body.length}) : error;
	} finally {
		void worker.terminate();
	}
}

function mailsOf(result: SendTaskResult): readonly ReadMail[] {
	if ('failure' in result) {
		throw new SendError(result.failure);
	}

	// Threads return plain byte arrays.
	return result.mails.map(mail => ('mail' in mail ? {...mail, source: bufferOf(mail.source)} : mail));
}

function bufferOf(bytes: Uint8Array): Buffer {
	return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}
