import {createReadStream} from 'node:fs';
import {lstat, mkdir, readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import type {Readable} from 'node:stream';
import {maxTogether} from '../../contract/constants.js';
import {errorCode, UnsafePathError} from '../../lib/errors.js';
import {directoryMode, ensureDirectory, nodeFiles} from '../../lib/io/files.js';
import {usageError} from '../output/exit.js';
import type {FileFormat} from './formats.js';
import {type FileMail, mailsInMbox} from './mbox.js';

type Sized = {readonly size: number};

/** Whether one call takes in, or reads, one more mail. */
export function fitTogether(mails: readonly Sized[], next: Sized): boolean {
	const bytes = mails.reduce((sum, {size}) => sum + size, next.size);
	return mails.length < maxTogether.mails && bytes <= maxTogether.bytes;
}

/** The pieces of a stream. Throws the reason of the signal as soon as that aborts, even where a read never ends, as that of a pipe. */
async function* untilAborted(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	const pieces: AsyncIterator<Uint8Array> = stream.iterator({destroyOnReturn: false});
	let stop = () => {};
	const aborted = new Promise<never>((_, reject) => {
		stop = () => reject(signal.reason);
		signal.addEventListener('abort', stop);
	});
	aborted.catch(() => {});
	try {
		signal.throwIfAborted();
		for (;;) {
			const {value, done} = await Promise.race([pieces.next(), aborted]);
			if (done) {
				return;
			}

			yield value;
		}
	} finally {
		signal.removeEventListener('abort', stop);
		stream.destroy();
	}
}

/** The folders of a Maildir: mail that was seen, mail that is new, and mail that is still being written. */
const maildirFolders = ['cur', 'new', 'tmp'] as const;

/** Makes a Maildir unless it is one. Throws `UnsafePathError` where one of its folders is a link, or no folder. */
export async function makeMaildir(folder: string): Promise<void> {
	await ensureDirectory(nodeFiles, folder);
	for (const name of maildirFolders) {
		const part = path.join(folder, name);
		await mkdir(part, {mode: directoryMode}).catch(async error => {
			if (errorCode(error) !== 'EEXIST') {
				throw error;
			}

			if (!(await lstat(part)).isDirectory()) {
				throw new UnsafePathError(`${part} is not a folder. Remove it, or choose another location with --output.`);
			}
		});
	}
}

/** Whether a folder has those of a Maildir in which mail is. */
async function isMaildir(folder: string): Promise<boolean> {
	const parts = await Promise.all(
		['cur', 'new'].map(async name => lstat(path.join(folder, name)).catch(() => undefined)),
	);
	return parts.every(part => part?.isDirectory());
}

/** A file with mail, `-` for stdin. Where the format is not known yet, its beginning tells. */
export type MailFile = {readonly file: string; readonly format: 'eml' | 'mbox' | undefined};

type MailFiles = {
	readonly files: readonly MailFile[];
	/** How many files in folders are none of mail, or links. */
	readonly skipped: number;
};

/** A mail, and where it was found: its file, and its place in an mbox. */
export type MailInFile = FileMail & {readonly location: string};

/**
 * The files with mail at a place: itself, or all in a Maildir and those in it, or in another folder and those below it the files named `.eml` and
 * `.mbox`. With a format, all files there are taken for that. Links in folders are not followed.
 */
export async function mailFilesAt(place: string, format: FileFormat | undefined): Promise<MailFiles> {
	const isFolder = place !== '-' && (await stat(place)).isDirectory();
	if (format === 'maildir' && !(isFolder && (await isMaildir(place)))) {
		throw usageError(`${place} is not a Maildir: it has no "cur" and "new" folders.`);
	}

	if (!isFolder) {
		return {files: [{file: place, format: (format as MailFile['format']) ?? formatOf(place)}], skipped: 0};
	}

	return format === 'maildir' || (format === undefined && (await isMaildir(place)))
		? inMaildir(place)
		: inFolder(place, format);
}

/** The mails in a file. The bytes of one that has more than `maxBytes` are left out. Throws the reason of the signal when that aborts. */
export async function* mailsIn(
	{file, format}: MailFile,
	stdin: Readable,
	{maxBytes, signal}: {readonly maxBytes: number; readonly signal: AbortSignal},
): AsyncGenerator<MailInFile> {
	const bytes = untilAborted(file === '-' ? stdin : createReadStream(file), signal);
	const {beginning, all} = await peek(bytes);
	if ((format ?? (beginning.equals(from) ? 'mbox' : 'eml')) === 'eml') {
		yield {location: file, ...(await wholeMail(all, maxBytes))};
		return;
	}

	let count = 0;
	for await (const mail of mailsInMbox(all, maxBytes)) {
		yield {location: `${file}, mail ${++count}`, ...mail};
	}
}

const from = Buffer.from('From ');

function formatOf(file: string): MailFile['format'] {
	return (['eml', 'mbox'] as const).find(name => file.toLowerCase().endsWith(`.${name}`));
}

async function inMaildir(folder: string): Promise<MailFiles> {
	const found = await Promise.all(
		['cur', 'new'].map(async name => {
			const entries = await readdir(path.join(folder, name), {withFileTypes: true});
			return entries.filter(entry => !entry.name.startsWith('.')).map(entry => ({name, entry}));
		}),
	);
	const mails = found.flat().filter(({entry}) => entry.isFile());
	mails.sort((one, other) => (one.entry.name < other.entry.name ? -1 : 1));
	const below = await maildirsIn(folder);
	return {
		files: [
			...mails.map(({name, entry}) => ({file: path.join(folder, name, entry.name), format: 'eml' as const})),
			...below.flatMap(({files}) => files),
		],
		skipped: below.reduce((sum, {skipped}) => sum + skipped, found.flat().length - mails.length),
	};
}

/** Those in a Maildir, such as `.Sent`. */
async function maildirsIn(folder: string): Promise<readonly MailFiles[]> {
	const entries = await readdir(folder, {withFileTypes: true});
	const folders = entries.filter(entry => entry.isDirectory()).map(({name}) => path.join(folder, name));
	const maildirs: MailFiles[] = [];
	for (const one of folders.sort()) {
		if (await isMaildir(one)) {
			maildirs.push(await inMaildir(one));
		}
	}

	return maildirs;
}

async function inFolder(folder: string, format: MailFile['format']): Promise<MailFiles> {
	const files: MailFile[] = [];
	let skipped = 0;
	const entries = await readdir(folder, {withFileTypes: true});
	for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
		const file = path.join(folder, entry.name);
		const known = format ?? formatOf(entry.name);
		if (entry.isDirectory()) {
			const below = await mailFilesAt(file, format);
			files.push(...below.files);
			skipped += below.skipped;
		} else if (entry.isFile() && known) {
			files.push({file, format: known});
		} else {
			skipped++;
		}
	}

	return {files, skipped};
}

/** The first bytes, and all of them. */
async function peek(bytes: AsyncIterable<Uint8Array>) {
	const pieces = bytes[Symbol.asyncIterator]();
	const first: Uint8Array[] = [];
	let beginning = Buffer.alloc(0);
	while (beginning.length < from.length) {
		const {value, done} = await pieces.next();
		if (done) {
			break;
		}

		first.push(value);
		beginning = Buffer.concat(first);
	}

	async function* all(): AsyncGenerator<Uint8Array> {
		try {
			yield beginning;
			for (let {value, done} = await pieces.next(); !done; {value, done} = await pieces.next()) {
				yield value;
			}
		} finally {
			await pieces.return?.();
		}
	}

	return {beginning: beginning.subarray(0, from.length), all: all()};
}

async function wholeMail(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<FileMail> {
	const pieces: Uint8Array[] = [];
	let size = 0;
	for await (const piece of bytes) {
		pieces.push(piece);
		size += piece.length;
		if (size > maxBytes) {
			return {size, source: undefined};
		}
	}

	return {size, source: Buffer.concat(pieces)};
}
