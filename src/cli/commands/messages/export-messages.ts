import {link, open, rename} from 'node:fs/promises';
import path from 'node:path';
import {ignoreNotFound} from '../../../client/errors.js';
import {type ClientFilter, describeFilter} from '../../../client/filter.js';
import type {Client} from '../../../client/index.js';
import {maxLimit} from '../../../contract/constants.js';
import {errorCode} from '../../../lib/errors.js';
import {createFile, ensureDirectory, fileMode, nodeFiles, removeFile, writeFully} from '../../../lib/io/files.js';
import {inBatches} from '../../../lib/io/streams.js';
import {safeFileName} from '../../../lib/text/sanitize.js';
import type {Context, Io} from '../../context.js';
import {untilSignal} from '../../control/until-signal.js';
import {findAfter, findInbox} from '../../find.js';
import {fitTogether, makeMaildir, mboxEntry, type Pieces, type Postmark} from '../../mail-files.js';
import type {FileFormat} from '../../options.js';
import {Exit, exitCodes, usageError} from '../../output/exit.js';
import {note} from '../../output/print.js';
import {withProgress} from '../../output/progress.js';
import type {ExportOptions} from './files.js';
import {filterOf} from './filter.js';

/** Exports the messages that exist at the start, oldest first. */
export async function exportMessages(inboxName: string, options: ExportOptions, context: Context): Promise<void> {
	const writer = selectWriter(options, context.io);
	await untilSignal(async signal => {
		let written = 0;
		const finished = new AbortController();
		const reading = AbortSignal.any([signal, finished.signal]);
		try {
			const client = await context.api();
			const inbox = await findInbox(client, inboxName);
			const filter = {...filterOf(options), after: await findAfter(client, inbox.id, options.after)};
			const which = `${describeFilter(filterOf(options))} in ${inbox.email_address}`;
			const rows = await listAll(client, inbox.id, filter, signal);
			if (rows.length > writer.max) {
				throw usageError(
					`There are ${rows.length} messages${which}, but only one can be written to stdout as eml.`,
					'Specify a folder with --output, or use --format mbox.',
				);
			}

			await withProgress(context, async show => {
				const mails = readMails(client, inbox.id, rows, reading);
				await writer.write(inBatches(mails, fitTogether), () => show('messages', ++written, rows.length));
			});
			const missing = rows.length - written;
			const rest = missing === 0 ? '' : `; ${missing} were deleted in the meantime`;
			note(context.io, `Exported ${written} of ${rows.length} messages${which}${rest}.`);
		} catch (error) {
			if (!signal.aborted) {
				throw error;
			}

			note(context.io, `Interrupted: ${writer.isAllOrNone ? 'nothing was written' : `wrote ${written} messages`}.`);
		} finally {
			finished.abort();
		}
	});
}

/** Write buffer size. */
const writeBytes = 64 * 1024;

type NewFile = {
	readonly file: string;
	/** Temporary file on the same file system. */
	readonly draft: string;
	/** Modification time (default: now). */
	readonly changedAt?: Date;
};

/** Writes a private file atomically. Throws `Exit` if the name already exists, even as a link. */
async function writeNewFile({file, draft, changedAt}: NewFile, pieces: Pieces): Promise<void> {
	const handle = await createFile(nodeFiles, draft);
	try {
		try {
			let size = 0;
			for await (const piece of joinChunks(pieces)) {
				await writeFully(handle, piece, size);
				size += piece.length;
			}

			await (changedAt && handle.utimes(changedAt, changedAt));
		} finally {
			// Some file systems report a full disk only on close.
			await handle.close();
		}

		await place(draft, file);
	} catch (error) {
		throw explainWriteError(error, file);
	} finally {
		await removeFile(nodeFiles, draft).catch(() => {});
	}
}

/** Joins small chunks into chunks of at least `writeBytes`. */
async function* joinChunks(pieces: Pieces): AsyncGenerator<Uint8Array> {
	let chunks: Uint8Array[] = [];
	let size = 0;
	for await (const piece of pieces) {
		chunks.push(piece);
		size += piece.length;
		if (size >= writeBytes) {
			yield Buffer.concat(chunks);
			chunks = [];
			size = 0;
		}
	}

	yield Buffer.concat(chunks);
}

/** Gives the draft its final name. Throws EEXIST if the name is taken. */
async function place(draft: string, file: string): Promise<void> {
	await link(draft, file).catch(async error => {
		if (errorCode(error) === 'EEXIST') {
			throw error;
		}

		// Some file systems do not support hard links.
		await (await open(file, 'wx', fileMode)).close();
		await rename(draft, file);
	});
}

function explainWriteError(error: unknown, file: string): unknown {
	if (errorCode(error) === 'EEXIST') {
		return new Exit(exitCodes.failed, 'file_exists', `The file "${file}" already exists.`, {
			hint: 'Choose another location with --output.',
		});
	}

	// Errors of writes have no path.
	return error instanceof Error && 'syscall' in error && !('path' in error)
		? Object.assign(error, {path: file})
		: error;
}

/** Message to export. */
type ExportedMail = Postmark & {readonly id: string; readonly size: number; readonly source: Pieces};

/** Mails in order, in batches: several in memory, or a large one alone that is streamed. */
type Mails = AsyncIterable<readonly ExportedMail[]>;

type Writer = {
	/** Maximum number of mails. */
	readonly max: number;
	/** True if an interrupted export leaves no file. */
	readonly isAllOrNone: boolean;
	/** Writes each batch when it arrives, and calls `onWritten` after each mail. */
	write(mails: Mails, onWritten: () => void): Promise<void>;
};

/** Selects the writer for a format and output. Throws `Exit` for an unsupported combination. */
function selectWriter({format, output = '-'}: Pick<ExportOptions, 'format' | 'output'>, {stdout}: Io): Writer {
	const isMbox = format === 'mbox';
	if (output !== '-') {
		const write: Writer['write'] = (mails, onWritten) => writeFiles[format](output, mails, onWritten);
		return {max: Number.POSITIVE_INFINITY, isAllOrNone: isMbox, write};
	}

	if (format === 'maildir') {
		throw usageError('A Maildir needs a folder: specify it with --output.');
	}

	if (stdout.isTTY) {
		throw usageError(
			`Mail cannot be written to a terminal, which would interpret it. Specify ${isMbox ? 'a file' : 'a folder'} with --output, or redirect stdout.`,
		);
	}

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
			return {file: path.join(folder, name), draft: draftPath(folder, name)};
		});
	},
	async mbox(file, mails, onWritten) {
		await writeNewFile({file, draft: draftPath(path.dirname(file), path.basename(file))}, mboxOf(mails, onWritten));
	},
	async maildir(folder, mails, onWritten) {
		await makeMaildir(folder);
		await writeEach(mails, onWritten, ({id, receivedAt}) => {
			// tinbox does not know which messages were read, so all are new.
			const name = safeFileName(`${Math.floor(receivedAt.getTime() / 1000)}.${id}.tinbox`, 'message');
			return {file: path.join(folder, 'new', name), draft: path.join(folder, 'tmp', name)};
		});
	},
};

/** Writes one file per mail, the mails of a batch concurrently. Before it throws, it waits for pending writes. */
async function writeEach(
	mails: Mails,
	onWritten: () => void,
	fileOf: (mail: ExportedMail) => Pick<NewFile, 'file' | 'draft'>,
): Promise<void> {
	for await (const batch of mails) {
		const written = await Promise.allSettled(
			batch.map(async mail => {
				await writeNewFile({...fileOf(mail), changedAt: mail.receivedAt}, mail.source);
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

function draftPath(folder: string, name: string): string {
	return path.join(folder, `.${name}.${process.pid}.tmp`);
}

/** Message without its source. */
type Row = Omit<ExportedMail, 'source'>;

async function listAll(
	{messages}: Client,
	inboxId: string,
	filter: ClientFilter,
	signal: AbortSignal,
): Promise<readonly Row[]> {
	const rows: Row[] = [];
	let before: string | undefined;
	for (;;) {
		const page = await messages.envelopes(inboxId, {...filter, before, limit: maxLimit}, signal);
		for (const {id, size, envelope, received_at} of page) {
			rows.push({id, size, sender: envelope.from, receivedAt: new Date(received_at)});
		}

		before = page.at(-1)?.id;
		if (page.length < maxLimit) {
			return rows.reverse();
		}
	}
}

/** Reads the sources in batches; skips messages that were deleted in the meantime. */
async function* readMails(
	{messages}: Client,
	inboxId: string,
	rows: readonly Row[],
	signal: AbortSignal,
): AsyncGenerator<ExportedMail> {
	for (const some of splitIntoCalls(rows)) {
		const [first] = some;
		if (first && some.length === 1) {
			const source = await messages.rawStream(inboxId, first.id, signal).catch(ignoreNotFound);
			yield* source ? [{...first, source}] : [];
		} else {
			const ids = some.map(({id}) => id);
			const read = (await messages.sources(inboxId, ids, signal).catch(ignoreNotFound)) ?? [];
			const sources = new Map(read.map(({id, source}) => [id, Buffer.from(source, 'base64')]));
			for (const row of some) {
				const source = sources.get(row.id);
				yield* source ? [{...row, source: [source]}] : [];
			}
		}
	}
}

/** Splits rows into batches that one API call can read. */
function* splitIntoCalls(rows: readonly Row[]): Generator<readonly Row[]> {
	let call: Row[] = [];
	for (const row of rows) {
		if (call.length > 0 && !fitTogether(call, row)) {
			yield call;
			call = [];
		}

		call.push(row);
	}

	if (call.length > 0) {
		yield call;
	}
}
