import type {Readable} from 'node:stream';
import {inBatches} from '../../../../lib/io/streams.js';
import {formatSize} from '../../../../lib/text/units.js';
import type {Context} from '../../../context.js';
import {untilSignal} from '../../../control/until-signal.js';
import {findInbox} from '../../../find.js';
import {fitTogether} from '../../../mail-files/fit-together.js';
import {maxMailBytes} from '../../../mail-files/formats.js';
import {type MailFile, mailFilesAt, mailsIn} from '../../../mail-files/mail-files.js';
import {NoMbox} from '../../../mail-files/mbox-reader.js';
import {Exit, exitCodes} from '../../../output/exit.js';
import {describeFailure} from '../../../output/failure.js';
import {note, printJsonLine} from '../../../output/print.js';
import {withProgress} from '../../../output/progress.js';
import {printRow} from '../../../output/table.js';
import {type ImportItem, importBatch} from './import-batch.js';
import {type Imported, importedColumns, refusedAt} from './imported.js';
import type {ImportOptions} from './index.js';

/** Takes in all mail in these places, in this order; what is refused does not stop the others, and is named. */
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
		const over = new AbortController();
		const reading = AbortSignal.any([signal, over.signal]);
		const destination = {...options, client, inboxId: inbox.id, signal};
		const refused: Imported[] = [];
		let taken = 0;
		const work = withProgress(context, async show => {
			const onRead = (count: number) => show('files', count, files.length);
			const mails = mailsInAll(files, io.stdin, {signal: reading, onRead});
			for await (const batch of inBatches(mails, fitTogether)) {
				for await (const imported of importBatch(batch, destination)) {
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
			}
		});
		await work.finally(() => {
			over.abort();
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

function countOf(mails: number, isDry: boolean): string {
	return `${mails} ${mails === 1 ? 'mail' : 'mails'} ${isDry ? 'would be' : mails === 1 ? 'was' : 'were'}`;
}

/** The mails of all files, one after the other. Ends with the signal. */
async function* mailsInAll(
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
