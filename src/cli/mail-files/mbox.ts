/** A mail in a file; the source is undefined where it has more bytes than are taken. */
export type FileMail = {readonly size: number; readonly source: Buffer<ArrayBuffer> | undefined};

/** What is read as an mbox is none. The message is a sentence about it. */
export class NoMbox extends Error {
	override readonly name = 'NoMbox';
}

/** A line that begins a mail says when it came; where that of the first one does not, none has to. */
const dated =
	/^From .* (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? +(?:\d+ +)?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) .*\d:\d\d/;

const [lineFeed, carriageReturn, quoteByte] = [0x0a, 0x0d, 0x3e];

const fromPrefix = Buffer.from('From ');

/** Of a line, so much is looked at. */
const maxLookedAt = 1000;

/**
 * The mails of an mbox, one after the other. A mail ends with an empty line before one that begins with `From ` and has a date
 * (RFC 4155); a `Content-Length` counts for nothing, since who wrote the mail can have written that. Of `>From `, however many
 * `>` there are, one is taken away (mboxrd; also mboxo, which is the same but for lines that had some before), unless another line
 * of the mail begins with `From `: then nothing was quoted (mboxcl2). Throws `NoMbox` where the first line is not that of a mail.
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

/** The lines with their ends. One that is longer than `maxBytes` comes in pieces. */
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

/** A mail as far as it has come; its bytes are dropped once they are too many. They are copied: a line may be a single byte. */
class Mail {
	readonly #maxBytes: number;
	#bytes = Buffer.alloc(0);
	#size = 0;
	/** Of the last line, where that is empty. */
	#emptySize = 0;
	/** Where a `>` is that was put there to quote a line. */
	#quotes: number[] = [];
	/** Whether a line begins with `From ` that is no quote. */
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

	/** Without the empty line behind it. */
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

/** The bytes but those at these places, in ascending order. */
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

/** The bytes of a mail. */
export type Pieces = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** What the line tells that begins a mail in an mbox. */
export type Postmark = {
	/** Of the envelope; empty for a bounce. */
	readonly sender: string;
	readonly receivedAt: Date;
};

const from = Buffer.from('From ');
const quote = Buffer.from('>');
const lineEnd = Buffer.from('\n');

/**
 * A mail as it stands in an mbox (RFC 4155), in the quoting that can be undone, known as mboxrd: each line that begins with `From `,
 * or with that behind `>`, gets one more `>`. Nothing else is changed, but that a last line without an end gets one.
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
	/** What may be the beginning of `From `. */
	let held: Buffer = Buffer.alloc(0);
	/** Whether nothing has come of the line yet but quotes. */
	let isOpen = true;
	for await (const piece of mail) {
		const bytes = Buffer.concat([held, piece]);
		const ready = bytes.subarray(0, bytes.length - heldOf(bytes));
		held = bytes.subarray(ready.length);
		let done = 0;
		for (let at = ready.indexOf(from); at !== -1; at = ready.indexOf(from, at + 1)) {
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

/** How many bytes at the end may be the beginning of `From `. */
function heldOf(bytes: Buffer): number {
	return (
		[4, 3, 2, 1].find(length => bytes.length >= length && bytes.subarray(-length).equals(from.subarray(0, length))) ?? 0
	);
}

/** Whether there are but quotes before a place in its line; `wasOpen` says so of the line that began before these bytes. */
function isLineOpen(bytes: Buffer, place: number, wasOpen: boolean): boolean {
	let before = place - 1;
	while (before >= 0 && bytes[before] === quote[0]) {
		before--;
	}

	return before < 0 ? wasOpen : bytes[before] === lineEnd[0];
}
