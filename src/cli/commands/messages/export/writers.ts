import path from 'node:path';
import {ensureDirectory, nodeFiles} from '../../../../lib/files.js';
import {safeFileName} from '../../../../lib/sanitize.js';
import type {Io} from '../../../context.js';
import type {FileFormat} from '../../../mail-files/formats.js';
import {makeMaildir} from '../../../mail-files/maildir.js';
import {mboxEntry, type Postmark} from '../../../mail-files/mbox-writer.js';
import {writeNewFile} from '../../../mail-files/new-file.js';
import {usageError} from '../../../output/exit.js';
import type {ExportOptions} from './index.js';

/** A message on its way into a file. */
export type ExportedMail = Postmark & {readonly id: string; readonly source: AsyncIterable<Uint8Array>};

type Mails = AsyncIterable<ExportedMail>;

type Writer = {
	/** Mails at most. */
	readonly max: number;
	/** What is interrupted leaves nothing. */
	readonly isAllOrNone: boolean;
	/** Writes each mail when it comes. */
	write(mails: Mails): Promise<void>;
};

/** What writes mail in a form to a place. Throws `Exit` where that does not go together. */
export function writerTo({format, output = '-'}: Pick<ExportOptions, 'format' | 'output'>, {stdout}: Io): Writer {
	if (output !== '-') {
		return {
			max: Number.POSITIVE_INFINITY,
			isAllOrNone: format === 'mbox',
			write: mails => writeFiles[format](output, mails),
		};
	}

	if (format === 'maildir') {
		throw usageError('A Maildir is a folder: name it with --output.');
	}

	if (stdout.isTTY) {
		const place = format === 'mbox' ? 'a file' : 'a folder';
		throw usageError(`Name ${place} with --output, or have stdout go to a file: a terminal would execute the mail.`);
	}

	const isMbox = format === 'mbox';
	return {
		max: isMbox ? Number.POSITIVE_INFINITY : 1,
		isAllOrNone: false,
		async write(mails) {
			for await (const piece of isMbox ? mboxOf(mails) : sourcesOf(mails)) {
				stdout.write(piece);
			}
		},
	};
}

const writeFiles: Readonly<Record<FileFormat, (place: string, mails: Mails) => Promise<void>>> = {
	async eml(folder, mails) {
		await ensureDirectory(nodeFiles, folder);
		for await (const {id, receivedAt, source} of mails) {
			const name = safeFileName(`${id}.eml`, 'message.eml');
			await writeNewFile({file: path.join(folder, name), draft: draftIn(folder, name), changedAt: receivedAt}, source);
		}
	},
	async mbox(file, mails) {
		await writeNewFile({file, draft: draftIn(path.dirname(file), path.basename(file))}, mboxOf(mails));
	},
	async maildir(folder, mails) {
		await makeMaildir(folder);
		for await (const {id, receivedAt, source} of mails) {
			// Nothing tells which of them were read: all are new.
			const name = safeFileName(`${Math.floor(receivedAt.getTime() / 1000)}.${id}.tinbox`, 'message');
			const [file, draft] = [path.join(folder, 'new', name), path.join(folder, 'tmp', name)];
			await writeNewFile({file, draft, changedAt: receivedAt}, source);
		}
	},
};

async function* mboxOf(mails: Mails): AsyncGenerator<Uint8Array> {
	for await (const {source, ...postmark} of mails) {
		yield* mboxEntry(postmark, source);
	}
}

async function* sourcesOf(mails: Mails): AsyncGenerator<Uint8Array> {
	for await (const {source} of mails) {
		yield* source;
	}
}

function draftIn(folder: string, name: string): string {
	return path.join(folder, `.${name}.${process.pid}.tmp`);
}
