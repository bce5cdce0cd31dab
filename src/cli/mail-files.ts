import {createReadStream, type Dirent} from 'node:fs';
import {lstat, mkdir, readdir, stat} from 'node:fs/promises';
import path from 'node:path';
import type {Readable} from 'node:stream';
import {maxTogether} from '../contract/constants.js';
import {errorCode, UnsafePathError} from '../lib/errors.js';
import {directoryMode, ensureDirectory, nodeFiles} from '../lib/io/files.js';
import type {FileFormat} from './options.js';
import {usageError} from './output/exit.js';

type Sized = {readonly size: number};

/** Checks whether one API call can import or read one more mail. */
export function fitTogether(mails: readonly Sized[], next: Sized): boolean {
	const bytes = mails.reduce((sum, {size}) => sum + size, next.size);
	return mails.length < maxTogether.mails && bytes <= maxTogether.bytes;
}

/** Chunks of a stream. Throws the reason of the signal when it aborts, even during a blocked read. */
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

/** Folders of a Maildir: seen mail, new mail, and incomplete files. */
const maildirFolders = ['cur', 'new', 'tmp'] as const;

/** Creates a Maildir if needed. Throws `UnsafePathError` if one of its folders is a link or a file. */
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

async function isMaildir(folder: string): Promise<boolean> {
	const parts = await Promise.all(
		['cur', 'new'].map(async name => lstat(path.join(folder, name)).catch(() => undefined)),
	);
	return parts.every(part => part?.isDirectory());
}

/** File with mail, or `-` for stdin. An undefined format is detected from the content. */
export type MailFile = {readonly file: string; readonly format: 'eml' | 'mbox' | undefined};

type MailFiles = {
	readonly files: readonly MailFile[];
	/** Number of skipped files and links in folders. */
	readonly skipped: number;
};

/** Mail with its file name and position in an mbox. */
export type MailInFile = FileMail & {readonly location: string};

/**
 * Finds files with mail: the file itself, all mail of a Maildir with its subfolders, or the `.eml` and `.mbox` files in
 * another folder and its subfolders; with a format, all files there. Links in folders are skipped.
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

/** Reads the mails of a file, without the source of mails larger than `maxBytes`. Throws the reason of the signal when it aborts. */
export async function* mailsIn(
	{file, format}: MailFile,
	stdin: Readable,
	{maxBytes, signal}: {readonly maxBytes: number; readonly signal: AbortSignal},
): AsyncGenerator<MailInFile> {
	const bytes = untilAborted(file === '-' ? stdin : createReadStream(file), signal);
	const {beginning, all} = await peek(bytes);
	if ((format ?? (beginning.equals(fromPrefix) ? 'mbox' : 'eml')) === 'eml') {
		yield {location: file, ...(await wholeMail(all, maxBytes))};
		return;
	}

	let count = 0;
	for await (const mail of mailsInMbox(all, maxBytes)) {
		yield {location: `${file}, mail ${++count}`, ...mail};
	}
}

function formatOf(file: string): MailFile['format'] {
	return (['eml', 'mbox'] as const).find(name => file.toLowerCase().endsWith(`.${name}`));
}

async function inMaildir(folder: string): Promise<MailFiles> {
	const parts = await Promise.all(
		['cur', 'new'].map(async name => readdir(path.join(folder, name), {withFileTypes: true})),
	);
	const found = parts.flat().filter(({name}) => !name.startsWith('.'));
	const mails = found.filter(entry => entry.isFile()).sort(byName);
	const below = await maildirsIn(folder);
	return {
		files: [
			...mails.map(({name, parentPath}) => ({file: path.join(parentPath, name), format: 'eml' as const})),
			...below.flatMap(({files}) => files),
		],
		skipped: below.reduce((sum, {skipped}) => sum + skipped, found.length - mails.length),
	};
}

function byName(one: Dirent, other: Dirent): number {
	return one.name < other.name ? -1 : 1;
}

/** Subfolders of a Maildir, such as `.Sent`. */
async function maildirsIn(folder: string): Promise<readonly MailFiles[]> {
	const maildirs: MailFiles[] = [];
	for (const entry of (await readdir(folder, {withFileTypes: true})).sort(byName)) {
		const subfolder = path.join(folder, entry.name);
		if (entry.isDirectory() && (await isMaildir(subfolder))) {
			maildirs.push(await inMaildir(subfolder));
		}
	}

	return maildirs;
}

async function inFolder(folder: string, format: MailFile['format']): Promise<MailFiles> {
	const files: MailFile[] = [];
	let skipped = 0;
	const entries = await readdir(folder, {withFileTypes: true});
	for (const entry of entries.sort(byName)) {
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

/** Reads the first bytes of a stream, and returns an iterator over the whole stream. */
async function peek(bytes: AsyncIterable<Uint8Array>) {
	const pieces = bytes[Symbol.asyncIterator]();
	const first: Uint8Array[] = [];
	let beginning = Buffer.alloc(0);
	while (beginning.length < fromPrefix.length) {
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

	return {beginning: beginning.subarray(0, fromPrefix.length), all: all()};
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

/** Mail in a file; the source is undefined if it exceeds the size limit. */
type FileMail = {readonly size: number; readonly source: Buffer<ArrayBuffer> | undefined};

/** Error for a file that is not an mbox. */
export class NoMbox extends Error {
	override readonly name = 'NoMbox';
}

/** From line with a date. If the first From line has no date, the others need none either. */
const dated =
	/^From .* (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:\d+ +)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) .*\d:\d\d/;

const [lineFeed, carriageReturn, quoteByte] = [0x0a, 0x0d, 0x3e];

const fromPrefix = Buffer.from('From ');

/** Maximum number of characters of a From line that are matched. */
const maxLookedAt = 1000;

/**
 * Reads the mails of an mbox (RFC 4155). A mail ends at an empty line followed by a From line with a date; `Content-Length` is
 * ignored, because the author of the mail may have set it. One `>` is removed from lines with `>From `, `>>From ` and so on
 * (mboxrd, mboxo), unless the mail has an unquoted `From ` line (mboxcl2). Throws `NoMbox` if there is no From line at the start.
 */
export async function* mailsInMbox(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<FileMail> {
	let mail: Mail | undefined;
	let areDated = true;
	let isAfterEmpty = true;
	for await (const line of linesOf(source, maxBytes)) {
		if (isAfterEmpty && isFrom(line, 0) && (mail === undefined || !areDated || dated.test(textOf(line)))) {
			if (mail) {
				yield mail.end();
			} else {
				areDated = dated.test(textOf(line));
			}

			mail = new Mail(maxBytes);
			isAfterEmpty = false;
		} else {
			isAfterEmpty = isEmpty(line);
			if (mail) {
				mail.add(line);
			} else if (!isAfterEmpty) {
				throw new NoMbox('Not an mbox file: it does not start with "From ".');
			}
		}
	}

	if (mail) {
		yield mail.end();
	}
}

/** Splits a stream into lines with their line breaks. A line longer than `maxBytes` is split. */
async function* linesOf(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Buffer> {
	let begun: Buffer[] = [];
	let size = 0;
	for await (const value of source) {
		const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
		let start = 0;
		for (let end = bytes.indexOf('\n'); end !== -1; end = bytes.indexOf('\n', start)) {
			const rest = bytes.subarray(start, end + 1);
			yield begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
			begun = [];
			size = 0;
			start = end + 1;
		}

		if (start < bytes.length) {
			begun.push(bytes.subarray(start));
			size += bytes.length - start;
		}

		if (size > maxBytes) {
			yield Buffer.concat(begun);
			begun = [];
			size = 0;
		}
	}

	if (size > 0) {
		yield Buffer.concat(begun);
	}
}

/** Buffer for the mail being read; discarded above the size limit. Bytes are copied, because a line may be a single byte. */
class Mail {
	readonly #maxBytes: number;
	#bytes = Buffer.alloc(0);
	#size = 0;
	/** Length of the last line if it is empty, else 0. */
	#emptySize = 0;
	/** Offsets of quote characters. */
	#quotes: number[] = [];
	/** True if a line starts with an unquoted `From `. */
	#hasBare = false;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	add(line: Buffer): void {
		const start = this.#size;
		this.#size += line.length;
		this.#emptySize = isEmpty(line) ? line.length : 0;
		if (this.#size > this.#maxBytes) {
			this.#bytes = Buffer.alloc(0);
			this.#quotes = [];
			return;
		}

		if (this.#size > this.#bytes.length) {
			const larger = Buffer.allocUnsafe(Math.min(this.#maxBytes, Math.max(this.#size, this.#bytes.length) * 2));
			this.#bytes.copy(larger, 0, 0, start);
			this.#bytes = larger;
		}

		line.copy(this.#bytes, start);
		this.#hasBare ||= isFrom(line, 0);
		if (isQuoted(line)) {
			this.#quotes.push(start);
		}
	}

	/** Returns the mail, without the empty line that ends it. */
	end(): FileMail {
		const size = this.#size - this.#emptySize;
		if (this.#size > this.#maxBytes) {
			return {size, source: undefined};
		}

		const bytes = this.#bytes.subarray(0, size);
		const source = this.#hasBare ? bytes : without(bytes, this.#quotes);
		return {size: source.length, source};
	}
}

/** Removes the bytes at these ascending offsets, in place. */
function without(bytes: Buffer<ArrayBuffer>, places: readonly number[]): Buffer<ArrayBuffer> {
	let end = places[0] ?? bytes.length;
	for (const [index, place] of places.entries()) {
		const next = places[index + 1] ?? bytes.length;
		bytes.copyWithin(end, place + 1, next);
		end += next - place - 1;
	}

	return bytes.subarray(0, end);
}

function isEmpty(line: Buffer): boolean {
	return line[0] === lineFeed
		? line.length === 1
		: line.length === 2 && line[0] === carriageReturn && line[1] === lineFeed;
}

function isFrom(line: Buffer, start: number): boolean {
	return line[start] === fromPrefix[0] && line.subarray(start, start + fromPrefix.length).equals(fromPrefix);
}

function isQuoted(line: Buffer): boolean {
	let quotes = 0;
	while (line[quotes] === quoteByte) {
		quotes++;
	}

	return quotes > 0 && isFrom(line, quotes);
}

function textOf(line: Buffer): string {
	return line.toString('latin1', 0, maxLookedAt);
}

/** Source of a mail in chunks. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Data of the From line before a mail in an mbox. */
export type Postmark = {
	/** Envelope sender; empty for a bounce. */
	readonly sender: string;
	readonly receivedAt: Date;
};

const quote = Buffer.from('>');
const lineEnd = Buffer.from('\n');

/**
 * Formats a mail for an mbox (RFC 4155) with reversible quoting (mboxrd): lines that start with `From `, `>From ` and so on get
 * one more `>`. A missing line break at the end is added.
 */
export async function* mboxEntry(postmark: Postmark, mail: Pieces): AsyncGenerator<Buffer> {
	yield Buffer.from(fromLine(postmark));
	let isEnded = true;
	for await (const piece of quoted(mail)) {
		yield piece;
		isEnded = piece.length === 0 ? isEnded : piece.at(-1) === lineEnd[0];
	}

	yield isEnded ? lineEnd : Buffer.concat([lineEnd, lineEnd]);
}

function fromLine({sender, receivedAt}: Postmark): string {
	const [weekday = '', day = '', month, year, time] = receivedAt.toUTCString().replace(',', '').split(' ');
	// Programs split the line at its spaces.
	const name = sender.replace(/[\s\p{Cc}]/gu, '_') || 'MAILER-DAEMON';
	return `From ${name} ${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}\n`;
}

async function* quoted(mail: Pieces): AsyncGenerator<Buffer> {
	/** Bytes at the end of the last chunk that may start `From `. */
	let held: Buffer = Buffer.alloc(0);
	/** True if the current line has only quote characters so far. */
	let isOpen = true;
	for await (const piece of mail) {
		const bytes = Buffer.concat([held, piece]);
		const ready = bytes.subarray(0, bytes.length - heldOf(bytes));
		held = bytes.subarray(ready.length);
		let done = 0;
		for (let at = ready.indexOf(fromPrefix); at !== -1; at = ready.indexOf(fromPrefix, at + 1)) {
			if (isLineOpen(ready, at, isOpen)) {
				yield ready.subarray(done, at);
				yield quote;
				done = at;
			}
		}

		yield ready.subarray(done);
		isOpen = isLineOpen(ready, ready.length, isOpen);
	}

	yield held;
}

/** Number of bytes at the end that may start `From `. */
function heldOf(bytes: Buffer): number {
	return (
		[4, 3, 2, 1].find(
			length => bytes.length >= length && bytes.subarray(-length).equals(fromPrefix.subarray(0, length)),
		) ?? 0
	);
}

/** Checks whether only quote characters precede an offset in its line; `wasOpen` is the result for the previous chunk. */
function isLineOpen(bytes: Buffer, place: number, wasOpen: boolean): boolean {
	let before = place - 1;
	while (before >= 0 && bytes[before] === quote[0]) {
		before--;
	}

	return before < 0 ? wasOpen : bytes[before] === lineEnd[0];
}
