import type {Content, HeaderField, Summary} from '../domain/message.js';
import {longestValue} from '../domain/pattern.js';
import {TaskFailure} from './exchange.js';
import {HeadKeeper, headOf, joinHeads} from './head.js';
import type {Parser} from './parser.js';
import {WorkerThread} from './worker-thread.js';

export type ParserOptions = {
	/** How long the header sections of one batch, or one whole mail, may take to read. */
	readonly deadlineMs?: number;
	/** How long the HTML of a mail may take to be turned into text. */
	readonly textDeadlineMs?: number;
};

const emptySummary: Summary = {from: '', cc: [], replyTo: [], subject: '', messageId: ''};

/**
 * The parser. Summaries have a thread of their own, since somebody may be waiting for them while a whole mail takes
 * its time. Both threads start when first used.
 */
export function createParser({deadlineMs = 10_000, textDeadlineMs = 2000}: ParserOptions = {}): Parser {
	const heads = new WorkerThread({maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4});
	const mails = new WorkerThread({maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8});

	async function summarize(sources: readonly Buffer[]): Promise<readonly Summary[]> {
		const input = joinHeads(sources.map(headOf));
		const found = await orNothing(heads.run('summarize', input, {deadlineMs, transfer: [input.bytes.buffer]}));
		if (found) {
			return found.map(summary => summary ?? emptySummary);
		}

		// One of them is to blame; the others must not suffer for it.
		return sources.length > 1 ? (await Promise.all(sources.map(one => summarize([one])))).flat() : [emptySummary];
	}

	async function readHeaders(head: Buffer): Promise<readonly HeaderField[]> {
		return (await orNothing(heads.run('readHeaders', head, {deadlineMs}))) ?? [];
	}

	/** A mail without text says in plain words what its HTML says. */
	async function withText(content: Content): Promise<Content> {
		if (content.text.trim() !== '' || content.html === '') {
			return content;
		}

		const text = await orNothing(mails.run('textOfHtml', content.html, {deadlineMs: textDeadlineMs}));
		const warning = 'The HTML could not be turned into text: it is nested too deeply, or too long.';
		return text === undefined ? {...content, warnings: [...content.warnings, warning]} : {...content, text};
	}

	return {
		summarize,
		async read(source) {
			const head = new HeadKeeper();
			try {
				const terms = {deadlineMs, source, watch: (piece: Uint8Array) => head.keep(piece)};
				return await withText(await mails.run('readContent', undefined, terms));
			} catch (error) {
				if (!(error instanceof TaskFailure)) {
					throw error;
				}

				const warnings = [`The mail could not be read beyond its header section: ${error.message}.`];
				return {headers: await readHeaders(headOf(head.bytes)), text: '', html: '', attachments: [], warnings};
			}
		},
		async attachment(source, id) {
			const bytes = await orNothing(mails.run('readAttachment', id, {deadlineMs, source}));
			return bytes && Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
		},
		async find(bodies, link) {
			const input = {...bodies, link};
			return (await orNothing(mails.run('find', input, {deadlineMs: textDeadlineMs}))) ?? {codes: [], links: []};
		},
		async explain({text, html, headers}, filter) {
			const content = {text: text.slice(0, longestValue), html: html.slice(0, longestValue), headers};
			const sentences = await orNothing(mails.run('explain', {content, filter}, {deadlineMs: textDeadlineMs}));
			return sentences ?? ['The mail could not be searched: it took too long.'];
		},
		async stop() {
			await Promise.all([heads.stop(), mails.stop()]);
		},
	};
}

/** Takes the failure of a task for an output that is not there. */
async function orNothing<Output>(output: Promise<Output>): Promise<Output | undefined> {
	return output.catch(error => {
		if (error instanceof TaskFailure) {
			return undefined;
		}

		throw error;
	});
}
