import {once} from 'node:events';
import {createRequire} from 'node:module';
import {Worker} from 'node:worker_threads';
import {SendError, type SendFailure, type SentMail} from '../domain/mail/sending.js';
import {errorCode} from '../lib/errors.js';
import {FairQueue} from '../lib/queue/fair-queue.js';
import {composeMail} from '../mime/compose/compose.js';
import type {RequestSources} from '../services/messages/request-sources.js';
import type {SubmittedMail} from '../services/sending/sending.js';
import type {RenderedMail} from '../services/sending/templates.js';
import type {Provider, RejectedMail, SendRequest, SendRoute} from './provider.js';

/** Mail of a request: composed, rejected, or with a template that is not rendered yet. */
export type ReadMail =
	| {readonly mail: SentMail; readonly source: Buffer}
	| RejectedMail
	| {readonly unrendered: SentMail};

/** Renders the template of a mail. Returns undefined if the provider accepts the mail and never sends it. */
type RenderMail = (mail: SentMail) => Promise<RenderedMail | RejectedMail | undefined>;

/** Maximum size of all mails of one request. */
const maxBytes = 256 * 1024 * 1024;

/** Maximum size of all mails of one request that templates fill in, whose size does not depend on the size of the request. */
const maxFilledBytes = 64 * 1024 * 1024;

/** Reads the mails of a request and composes those without a template, one after the other. Throws `SendError`. */
export async function* readMails(
	route: Pick<SendRoute, 'read'>,
	request: SendRequest,
): AsyncGenerator<ReadMail, void, undefined> {
	const read = await route.read(request);
	assertTotal(read.reduce((sum, mail) => sum + ('envelope' in mail && !mail.template ? contentBytes(mail) : 0), 0));
	for (const mail of read) {
		if (!('envelope' in mail)) {
			yield mail;
		} else if (mail.template) {
			yield {unrendered: mail};
		} else {
			yield {mail: withoutContent(mail), source: await composeSource(mail)};
		}
	}
}

/** Mail without the texts and attachments that its source contains anyway. */
function withoutContent(mail: SentMail): SentMail {
	const {content} = mail;
	const isRaw = 'raw' in content;
	return {
		...mail,
		content: isRaw
			? {raw: Buffer.alloc(0)}
			: {...content, text: undefined, html: undefined, amp: undefined, attachments: []},
	};
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

function assertTotal(size: number, limit = maxBytes): void {
	if (size > limit) {
		throw new SendError({type: 'too_large', maxBytes: limit});
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

/** Message of the worker thread: a mail, after which it waits for a message, or the last one. Unexpected errors end the thread. */
export type FromSendWorker = {readonly mail: ReadMail} | {readonly end: SendFailure | undefined};

/** Maximum size of a request that is read in the main thread, and of all its mails together. */
const maxSmallBytes = 256 * 1024;
const maxSmallMails = 4 * 1024 * 1024;

/** Deadline of a worker thread. */
const deadlineMs = 20_000;

/** Memory limits of a worker thread. */
const resourceLimits = {maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16};

export type ComposeOptions = {
	/** Keeps the composed mails. */
	readonly sources: RequestSources;
	/** Waits until the holder may continue. Called between mails. */
	readonly turn: () => Promise<void>;
};

type ReadOptions = ComposeOptions & {
	/** Holder in fair queues. */
	readonly owner: string;
	readonly provider: Provider;
	readonly route: SendRoute;
	readonly request: SendRequest;
};

/** Mails of a request: composed, or with a template that is not rendered yet. */
export type ReadMails = ReadonlyArray<SubmittedMail | {readonly unrendered: SentMail}>;

/** Reads requests and composes their mails: large requests in worker threads, with a fair queue for the owners. */
export class Preparer {
	readonly #threads = new FairQueue(2);

	/** Reads a request. Throws `SendError`, also with `too_large` if a worker thread exceeds its deadline or memory limit. */
	async read({owner, provider, route, request, ...options}: ReadOptions): Promise<ReadMails> {
		return isSmall(request.body)
			? collect(readMails(route, request), options)
			: this.#threads.run(owner, async () => collect(readMailsInThread(provider, route, request), options));
	}
}

/** Collects mails. Their sources are moved out of memory as they are composed. */
async function collect(mails: AsyncIterable<ReadMail>, {sources, turn}: ComposeOptions): Promise<ReadMails> {
	const collected: Array<SubmittedMail | {readonly unrendered: SentMail}> = [];
	let size = 0;
	for await (const read of mails) {
		if (collected.length > 0) {
			await turn();
		}

		if ('source' in read) {
			size += read.source.length;
			assertTotal(size);
			collected.push({mail: read.mail, source: await sources.add(read.source)});
		} else {
			collected.push(read);
		}
	}

	return collected;
}

/** Renders the templates and composes their mails. Throws `SendError`. */
export async function renderTemplates(
	mails: ReadMails,
	render: RenderMail,
	{sources, turn}: ComposeOptions,
): Promise<readonly SubmittedMail[]> {
	const submitted: SubmittedMail[] = [];
	let size = 0;
	for (const read of mails) {
		if (!('unrendered' in read)) {
			submitted.push(read);
			continue;
		}

		if (submitted.length > 0) {
			await turn();
		}

		const rendered = await render(read.unrendered);
		if (rendered === undefined) {
			submitted.push({dropped: withoutContent(read.unrendered)});
		} else if ('mail' in rendered) {
			const {mail} = rendered;
			const source = rendered.source ?? (await composeSource(mail));
			size += source.length;
			assertTotal(size, maxFilledBytes);
			submitted.push({mail: withoutContent(mail), source: await sources.add(source)});
		} else {
			submitted.push(rendered);
		}
	}

	return submitted;
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

/** Reads a request in a thread, which composes the next mail when the previous one was taken. */
async function* readMailsInThread(
	{name, routes}: Provider,
	route: SendRoute,
	{query, ...request}: SendRequest,
): AsyncGenerator<ReadMail, void, undefined> {
	const task: SendTask = {provider: name, route: routes.indexOf(route), request: {...request, query: String(query)}};
	const file = createRequire(import.meta.url).resolve('#send-worker');
	const worker = new Worker(file, {workerData: task, resourceLimits, execArgv: []});
	let remainingMs = deadlineMs;
	const next = async (): Promise<FromSendWorker> => {
		const start = performance.now();
		const [message] = await once(worker, 'message', {signal: AbortSignal.timeout(Math.max(remainingMs, 0))});
		remainingMs = Math.ceil(remainingMs - (performance.now() - start));
		return message;
	};
	try {
		let message = await next();
		while ('mail' in message) {
			yield withBuffer(message.mail);
			const following = next();
			worker.postMessage('next');
			message = await following;
		}

		if (message.end) {
			throw new SendError(message.end);
		}
	} catch (error) {
		const isTooMuch =
			error instanceof Error && (error.name === 'AbortError' || errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY');
		throw isTooMuch ? new SendError({type: 'too_large', maxBytes: request.body.length}) : error;
	} finally {
		void worker.terminate();
	}
}

/** Threads return plain byte arrays. */
function withBuffer(read: ReadMail): ReadMail {
	if (!('source' in read)) {
		return read;
	}

	const {buffer, byteOffset, length} = read.source;
	return {...read, source: Buffer.from(buffer, byteOffset, length)};
}
