import type {Readable} from 'node:stream';
import {ApiError} from '../../../client/errors.js';
import type {Client} from '../../../client/index.js';
import type {MessageSummaryBody} from '../../../contract/messages.js';
import {errorCode} from '../../../lib/errors.js';
import {inBatches} from '../../../lib/io/streams.js';
import {formatSize} from '../../../lib/text/units.js';
import type {Context} from '../../context.js';
import {untilSignal} from '../../control/until-signal.js';
import {findInbox} from '../../find.js';
import {fitTogether, type MailFile, type MailInFile, mailFilesAt, mailsIn, NoMbox} from '../../mail-files.js';
import {maxMailBytes} from '../../options.js';
import {Exit, exitCodes} from '../../output/exit.js';
import {describeFailure} from '../../output/failure.js';
import {note} from '../../output/print.js';
import {withProgress} from '../../output/progress.js';
import {printNext} from '../../output/table.js';
import {checkedAt, type Imported, type ImportOptions, importedColumns, keptAt, refusedAt} from './files.js';

/** Imports all mail in these files and folders, in this order. Rejected mails are reported and do not stop the import. */
export async function importMessages(
	inboxName: string,
	places: readonly string[],
	options: ImportOptions,
	context: Context,
): Promise<void> {
	const {io} = context;
	const {dryRun = false, json, format} = options;
	await untilSignal(async signal => {
		const client = await context.api();
		const inbox = await findInbox(client, inboxName);
		const found = await Promise.all(places.map(place => mailFilesAt(place, format)));
		const files = found.flatMap(one => one.files);
		const finished = new AbortController();
		const reading = AbortSignal.any([signal, finished.signal]);
		const destination = {...options, client, inboxId: inbox.id, signal};
		const refused: Imported[] = [];
		let taken = 0;
		const work = withProgress(context, async show => {
			const onRead = (count: number) => show('files', count, files.length);
			const mails = readMailFiles(files, io.stdin, {signal: reading, onRead});
			for await (const batch of inBatches(mails, fitTogether)) {
				for await (const imported of importBatch(batch, destination)) {
					if (imported.error === null) {
						taken++;
					} else {
						refused.push(imported);
					}

					if (json || dryRun) {
						printNext(context, importedColumns, imported, json);
					}
				}
			}
		});
		await work.finally(() => {
			finished.abort();
			if (!json && !dryRun) {
				for (const {location, error} of refused) {
					note(io, `${location}: ${error}`);
				}
			}

			const skipped = found.reduce((sum, one) => sum + one.skipped, 0);
			const sentences = [
				signal.aborted && 'Interrupted.',
				`${countOf(taken, dryRun)} imported into ${inbox.email_address}.`,
				skipped > 0 && `${skipped} other files in the folders were skipped.`,
			];
			note(io, sentences.filter(Boolean).join(' '));
		});
		if (refused.length > 0) {
			throw new Exit(exitCodes.failed, 'refused', `${countOf(refused.length, dryRun)} rejected.`);
		}
	});
}

/** Mail within the size limit. */
type Mail = MailInFile & {readonly source: Buffer<ArrayBuffer>};

/** Mail to import, or the result for one that cannot be read. */
type ImportItem = Mail | Imported;

type Destination = ImportOptions & {readonly client: Client; readonly inboxId: string; readonly signal: AbortSignal};

/** Error codes that concern a single mail, so that the import continues. */
const singleMailErrors: readonly string[] = ['malformed', 'too_large'];

/** Concurrency of a dry run. */
const dryRunConcurrency = 8;

/** Imports a batch with one API call or, if a mail is rejected, one call per mail. Yields the result of each mail. */
async function* importBatch(batch: readonly ImportItem[], destination: Destination): AsyncGenerator<Imported> {
	const {dryRun, signal} = destination;
	if (dryRun) {
		for (let first = 0; first < batch.length && !signal.aborted; first += dryRunConcurrency) {
			const some = batch.slice(first, first + dryRunConcurrency);
			yield* await Promise.all(some.map(async one => (isMail(one) ? importMail(one, destination) : one)));
		}

		return;
	}

	const kept = await importTogether(batch.filter(isMail), destination);
	for (const one of batch) {
		const message = kept.get(one);
		if (!message && signal.aborted) {
			return;
		}

		yield message ? keptAt(one.location, message) : isMail(one) ? await importMail(one, destination) : one;
	}
}

function isMail(found: ImportItem): found is Mail {
	return 'source' in found;
}

/** Imports mails with one API call. Returns an empty map if any of them is rejected. */
async function importTogether(
	mails: readonly Mail[],
	{client: {messages}, inboxId, from, to}: Destination,
): Promise<ReadonlyMap<ImportItem, MessageSummaryBody>> {
	if (mails.length < 2) {
		return new Map();
	}

	const sources = mails.map(({source}) => source.toString('base64'));
	try {
		const kept = await messages.importAll(inboxId, {sources, ...(from !== undefined && {from}), ...(to && {to})});
		return new Map(kept.map((message, index) => [mails[index] as Mail, message]));
	} catch (error) {
		if (isRefusal(error)) {
			return new Map();
		}

		throw withUncertainty(error, mails);
	}
}

async function importMail(mail: Mail, {client: {messages}, inboxId, dryRun, from, to}: Destination): Promise<Imported> {
	const {location, size, source} = mail;
	try {
		return dryRun
			? checkedAt(location, await messages.checkImport(inboxId, source, {from, to}))
			: keptAt(location, await messages.import(inboxId, source, {from, to}));
	} catch (error) {
		if (error instanceof ApiError && singleMailErrors.includes(error.code)) {
			return refusedAt(location, size, error.detail);
		}

		throw dryRun || isRefusal(error) ? error : withUncertainty(error, [mail]);
	}
}

/** Checks whether an error guarantees that nothing was stored. */
function isRefusal(error: unknown): boolean {
	return error instanceof ApiError && (error.status < 500 || error.code === 'storage_full');
}

/** Adds a hint to an error after which it is unknown whether the mails were stored. */
function withUncertainty(error: unknown, [first, ...others]: readonly Mail[]): unknown {
	if (!first || errorCode((error as Error).cause) === 'ECONNREFUSED') {
		return error;
	}

	const which =
		others.length === 0
			? `${first.location} was imported`
			: `${first.location} and the next ${others.length} mails were imported (all or none)`;
	const {exitCode, code, message, details} = describeFailure(error);
	const hint = `It is unknown whether ${which}. To check: tinbox messages list`;
	return new Exit(exitCode, code, message, {hint, ...(details && {details})});
}

function countOf(mails: number, isDry: boolean): string {
	return `${mails} ${mails === 1 ? 'mail' : 'mails'} ${isDry ? 'would be' : mails === 1 ? 'was' : 'were'}`;
}

/** Reads the mails of all files in order. Ends when the signal aborts. */
async function* readMailFiles(
	files: readonly MailFile[],
	stdin: Readable,
	{signal, onRead}: {readonly signal: AbortSignal; onRead(count: number): void},
): AsyncGenerator<ImportItem> {
	for (const [index, file] of files.entries()) {
		try {
			for await (const mail of mailsIn(file, stdin, {maxBytes: maxMailBytes, signal})) {
				const {source} = mail;
				yield source
					? {...mail, source}
					: refusedAt(mail.location, mail.size, `The mail is larger than ${formatSize(maxMailBytes)}.`);
			}
		} catch (error) {
			if (signal.aborted && error === signal.reason) {
				return;
			}

			const {code, message} = describeFailure(error);
			if (!(error instanceof NoMbox || code === 'system')) {
				throw error;
			}

			yield refusedAt(file.file, 0, error instanceof NoMbox ? error.message : message);
		}

		onRead(index + 1);
	}
}
