import type {Readable} from 'node:stream';
import {ApiError} from '../../../../client/errors.js';
import type {Client} from '../../../../client/index.js';
import {formatSize} from '../../../../lib/units.js';
import type {Context} from '../../../context.js';
import {untilSignal} from '../../../control/until-signal.js';
import {findInbox} from '../../../find.js';
import {maxMailBytes} from '../../../mail-files/formats.js';
import {type MailFile, type MailInFile, mailFilesAt, mailsIn} from '../../../mail-files/mail-files.js';
import {NoMbox} from '../../../mail-files/mbox-reader.js';
import {Exit, exitCodes} from '../../../output/exit.js';
import {describeFailure} from '../../../output/failure.js';
import {note, printJsonLine} from '../../../output/print.js';
import {withProgress} from '../../../output/progress.js';
import {printRow} from '../../../output/table.js';
import {checkedAt, type Imported, importedColumns, keptAt, refusedAt} from './imported.js';
import type {ImportOptions} from './index.js';

/** Codes of answers that are about one mail: the next one may be taken. */
const aboutOne: readonly string[] = ['malformed', 'too_large'];

/** Where mail goes, and how. */
type Destination = ImportOptions & {readonly client: Client; readonly inboxId: string; readonly signal: AbortSignal};

/** Takes in all mail in these places, one after the other; what is refused does not stop the others, and is named. */
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
		const destination = {...options, client, inboxId: inbox.id, signal};
		const refused: Imported[] = [];
		let taken = 0;
		const work = withProgress(context, async show => {
			for (const [index, file] of files.entries()) {
				for await (const imported of importFile(file, io.stdin, destination)) {
					if (imported.error === null) {
						taken++;
					} else {
						refused.push(imported);
					}

					if (json) {
						printJsonLine(io, imported, json);
					} else if (dryRun) {
						printRow(context, importedColumns, imported);
					}
				}

				show('files', index + 1, files.length);
			}
		});
		await work.finally(() => {
			if (!json && !dryRun) {
				for (const {place, error} of refused) {
					note(io, `${place}: ${error}`);
				}
			}

			const skipped = found.reduce((sum, one) => sum + one.skipped, 0);
			const sentences = [
				signal.aborted && 'Interrupted.',
				`${countOf(taken, dryRun)} imported into ${inbox.email_address}.`,
				skipped > 0 && `${skipped} other files in the folders were left out.`,
			];
			note(io, sentences.filter(Boolean).join(' '));
		});
		if (refused.length > 0) {
			throw new Exit(exitCodes.failed, 'refused', `${countOf(refused.length, dryRun)} refused.`);
		}
	});
}

function countOf(mails: number, isDry: boolean): string {
	return `${mails} ${mails === 1 ? 'mail' : 'mails'} ${isDry ? 'would be' : mails === 1 ? 'was' : 'were'}`;
}

/** The mails of a file, with what became of each. */
async function* importFile(file: MailFile, stdin: Readable, destination: Destination): AsyncGenerator<Imported> {
	const {signal} = destination;
	try {
		for await (const mail of mailsIn(file, stdin, {maxBytes: maxMailBytes, signal})) {
			if (signal.aborted) {
				return;
			}

			yield await importMail(mail, destination);
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
}

async function importMail(
	{place, size, source}: MailInFile,
	{client: {messages}, inboxId, dryRun, from, to}: Destination,
): Promise<Imported> {
	if (!source) {
		return refusedAt(place, size, `It is larger than ${formatSize(maxMailBytes)}.`);
	}

	try {
		return dryRun
			? checkedAt(place, await messages.checkImport(inboxId, source, {from, to}))
			: keptAt(place, await messages.import(inboxId, source, {from, to}));
	} catch (error) {
		if (error instanceof ApiError && aboutOne.includes(error.code)) {
			return refusedAt(place, size, error.detail);
		}

		throw error;
	}
}
