import {ApiError} from '../../../../client/errors.js';
import type {Client} from '../../../../client/index.js';
import type {MessageSummaryBody} from '../../../../contract/messages.js';
import {errorCode} from '../../../../lib/errors.js';
import type {MailInFile} from '../../../mail-files/mail-files.js';
import {Exit} from '../../../output/exit.js';
import {describeFailure} from '../../../output/failure.js';
import {checkedAt, type Imported, keptAt, refusedAt} from './imported.js';
import type {ImportOptions} from './index.js';

/** A mail whose bytes are known. */
type Mail = MailInFile & {readonly source: Buffer<ArrayBuffer>};

/** A mail, or what there is to tell in its place. */
export type ImportItem = Mail | Imported;

/** Where mail goes, and how. */
type Destination = ImportOptions & {readonly client: Client; readonly inboxId: string; readonly signal: AbortSignal};

/** Codes of answers that are about one mail: the next one may be taken. */
const aboutOne: readonly string[] = ['malformed', 'too_large'];

/** How many mails are checked side by side. */
const checkedAtOnce = 8;

/** What became of each of these. They go in together; where one of them is refused, each has an answer of its own. */
export async function* importBatch(batch: readonly ImportItem[], destination: Destination): AsyncGenerator<Imported> {
	const {dryRun, signal} = destination;
	if (dryRun) {
		for (let first = 0; first < batch.length && !signal.aborted; first += checkedAtOnce) {
			const some = batch.slice(first, first + checkedAtOnce);
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

/** The messages of all; none where one mail is refused. */
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

		throw withDoubt(error, mails);
	}
}

async function importMail(mail: Mail, {client: {messages}, inboxId, dryRun, from, to}: Destination): Promise<Imported> {
	const {location, size, source} = mail;
	try {
		return dryRun
			? checkedAt(location, await messages.checkImport(inboxId, source, {from, to}))
			: keptAt(location, await messages.import(inboxId, source, {from, to}));
	} catch (error) {
		if (error instanceof ApiError && aboutOne.includes(error.code)) {
			return refusedAt(location, size, error.detail);
		}

		throw dryRun || isRefusal(error) ? error : withDoubt(error, [mail]);
	}
}

/** Whether it is known that nothing was kept. */
function isRefusal(error: unknown): boolean {
	return error instanceof ApiError && (error.status < 500 || error.code === 'storage_full');
}

/** The same failure, which says of the mails that nobody knows what became of them, where that is so. */
function withDoubt(error: unknown, [first, ...others]: readonly Mail[]): unknown {
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
