/** A mail in a file; the source is undefined where it has more bytes than are taken. */
export type FileMail = {readonly size: number; readonly source: Buffer<ArrayBuffer> | undefined};

/** What is read as an mbox is none. The message is a sentence about it. */
export class NoMbox extends Error {
	override readonly name = 'NoMbox';
}

/** A line that begins a mail says when it came; where that of the first one does not, none has to. */
const dated = /^From .*\d:\d\d/;

const quote = 0x3e;

/** Of a line, so much is looked at. */
const maxLookedAt = 1000;

/**
 * The mails of an mbox, one after the other. A mail ends with an empty line before one that begins with `From ` and has a time
 * (RFC 4155); a `Content-Length` counts for nothing, since who wrote the mail can have written that. Of `>From `, however many
 * `>` there are, one is taken away (mboxrd; also mboxo, which is the same but for lines that had some before), unless another line
 * of the mail begins with `From `: then nothing was quoted (mboxcl2). Throws `NoMbox` where the first line is not that of a mail.
 */
export async function* mailsInMbox(source: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<FileMail> {
	let mail: Mail | undefined;
	let areDated = true;
	let isAfterEmpty = true;
	for await (const line of linesOf(source, maxBytes)) {
		if (isAfterEmpty && isFrom(line) && (mail === undefined || !areDated || dated.test(textOf(line)))) {
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
				throw new NoMbox('It does not begin with "From ", as an mbox does.');
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

/** A mail as far as it has come; its bytes are dropped once they are too many. */
class Mail {
	readonly #maxBytes: number;
	#lines: Buffer[] = [];
	#size = 0;
	#last: Buffer | undefined;
	/** Whether a line begins with `From ` that is no quote. */
	#hasBare = false;

	constructor(maxBytes: number) {
		this.#maxBytes = maxBytes;
	}

	add(line: Buffer): void {
		this.#lines.push(line);
		this.#size += line.length;
		this.#last = line;
		this.#hasBare ||= isFrom(line);
		if (this.#size > this.#maxBytes) {
			this.#lines = [];
		}
	}

	/** Without the empty line behind it. */
	end(): FileMail {
		if (this.#last && isEmpty(this.#last)) {
			this.#lines.pop();
			this.#size -= this.#last.length;
		}

		const size = this.#size;
		if (size > this.#maxBytes) {
			return {size, source: undefined};
		}

		const source = Buffer.concat(this.#hasBare ? this.#lines : this.#lines.map(unquoted));
		return {size: source.length, source};
	}
}

function isEmpty(line: Buffer): boolean {
	return line.length <= 2 && /^\r?\n$/.test(textOf(line));
}

function isFrom(line: Buffer): boolean {
	return line.toString('latin1', 0, 5) === 'From ';
}

function unquoted(line: Buffer): Buffer {
	let quotes = 0;
	while (line[quotes] === quote) {
		quotes++;
	}

	return quotes > 0 && isFrom(line.subarray(quotes)) ? line.subarray(1) : line;
}

function textOf(line: Buffer): string {
	return line.toString('latin1', 0, maxLookedAt);
}
