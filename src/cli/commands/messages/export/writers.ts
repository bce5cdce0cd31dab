import path from 'node:path';
import {ensureDirectory, nodeFiles} from '../../../../lib/io/files.js';
import {safeFileName} from '../../../../lib/text/sanitize.js';
import type {Io} from '../../../context.js';
import type {FileFormat} from '../../../mail-files/formats.js';
import {makeMaildir} from '../../../mail-files/maildir.js';
import {mboxEntry, type Pieces, type Postmark} from '../../../mail-files/mbox-writer.js';
import {type NewFile, writeNewFile} from '../../../mail-files/new-file.js';
import {usageError} from '../../../output/exit.js';
import type {ExportOptions} from './index.js';

/** A message on its way into a file. */
export type ExportedMail = Postmark & {readonly id: string; readonly size: number; readonly source: Pieces};

/** In batches, in order: mails that are in memory, or a large one alone, which comes as it is read. */
type Mails = AsyncIterable<readonly ExportedMail[]>;

type Writer = {
	/** Mails at most. */
	readonly max: number;
	/** What is interrupted leaves nothing. */
	readonly isAllOrNone: boolean;
	/** Writes each batch when it comes, and tells of each mail that is written. */
	write(mails: Mails, onWritten: () => void): Promise<void>;
};

/** What writes mail in a form to a place. Throws `Exit` where that does not go together. */
export function writerTo({format, output = '-'}: Pick<ExportOptions, 'format' | 'output'>, {stdout}: Io): Writer {
	if (output !== '-') {
		return {
			max: Number.POSITIVE_INFINITY,
			isAllOrNone: format === 'mbox',
			write: (mails, onWritten) => writeFiles[format](output, mails, onWritten),
		};
	}

	if (format === 'maildir') {
		throw usageError('A Maildir needs a folder: specify it with --output.');
	}

	if (stdout.isTTY) {
		const place = format === 'mbox' ? 'a file' : 'a folder';
		throw usageError(
			`Mail cannot be written to a terminal, which would interpret it. Specify ${place} with --output, or redirect stdout.`,
		);
	}

	const isMbox = format === 'mbox';
	return {
		max: isMbox ? Number.POSITIVE_INFINITY : 1,
		isAllOrNone: false,
		async write(mails, onWritten) {
			for await (const piece of isMbox ? mboxOf(mails, onWritten) : sourcesOf(mails, onWritten)) {
				stdout.write(piece);
			}
		},
	};
}

type WriteFiles = (place: string, mails: Mails, onWritten: () => void) => Promise<void>;

const writeFiles: Readonly<Record<FileFormat, WriteFiles>> = {
	async eml(folder, mails, onWritten) {
		await ensureDirectory(nodeFiles, folder);
		await writeEach(mails, onWritten, ({id}) => {
			const name = safeFileName(`${id}.eml`, 'message.eml');
			return {file: path.join(folder, name), draft: draftIn(folder, name)};
		});
	},
	async mbox(file, mails, onWritten) {
		await writeNewFile({file, draft: draftIn(path.dirname(file), path.basename(file))}, mboxOf(mails, onWritten));
	},
	async maildir(folder, mails, onWritten) {
		await makeMaildir(folder);
		await writeEach(mails, onWritten, ({id, receivedAt}) => {
			// Nothing tells which of them were read: all are new.
			const name = safeFileName(`${Math.floor(receivedAt.getTime() / 1000)}.${id}.tinbox`, 'message');
			return {file: path.join(folder, 'new', name), draft: path.join(folder, 'tmp', name)};
		});
	},
};

/** A file for each mail, those of a batch side by side: none is under way any more when this throws. */
async function writeEach(
	mails: Mails,
	onWritten: () => void,
	placeOf: (mail: ExportedMail) => Pick<NewFile, 'file' | 'draft'>,
): Promise<void> {
	for await (const batch of mails) {
		const written = await Promise.allSettled(
			batch.map(async mail => {
				await writeNewFile({...placeOf(mail), changedAt: mail.receivedAt}, mail.source);
				onWritten();
			}),
		);
		const failed = written.find(({status}) => status === 'rejected');
		if (failed?.status === 'rejected') {
			throw failed.reason;
		}
	}
}

async function* mboxOf(mails: Mails, onWritten: () => void): AsyncGenerator<Uint8Array> {
	for await (const {source, ...postmark} of each(mails)) {
		yield* mboxEntry(postmark, source);
		onWritten();
	}
}

async function* sourcesOf(mails: Mails, onWritten: () => void): AsyncGenerator<Uint8Array> {
	for await (const {source} of each(mails)) {
		yield* source;
		onWritten();
	}
}

async function* each(mails: Mails): AsyncGenerator<ExportedMail> {
	for await (const batch of mails) {
		yield* batch;
	}
}

function draftIn(folder: string, name: string): string {
	return path.join(folder, `.${name}.${process.pid}.tmp`);
}
