import {isMultipart, isOfDigest, levelOf, type SplitPart, type Splitter} from './mailsplit.js';

/** Why a mail cannot be read to its end, for people: the message is the end of a sentence. */
export class UnreadableMail extends Error {}

type Boundary = {readonly owner: SplitPart; readonly isClosing: boolean};

const carriageReturn = 13;
const lineFeed = 10;
const space = 32;
const hyphen = 45;

const maxHeaderBytes = 1024 * 1024;
const maxParts = 1000;
const maxLevels = 100;

/** A line that is longer is no boundary, whatever it says. */
const maxBoundaryBytes = 16 * 1024;

/**
 * Finds the parts of a mail in the place of mailsplit, which knows no spaces behind boundaries, no outer boundaries, and takes
 * its time for each line (RFC 2046, section 5.1).
 */
export class PartFinder {
	/** The parts whose closing boundary was seen. */
	readonly closed = new Set<SplitPart>();
	/** Whether something that has parts is left whole, since it stands in 100 others. */
	isTooDeep = false;
	readonly #splitter: Splitter;
	#part: SplitPart;
	#partCount = 1;
	/** Where in the part it stands; the epilogue is what follows on the last of its parts. */
	#place: 'header' | 'body' | 'epilogue' = 'header';
	/** What may belong to a header field or boundary that is not whole yet. */
	#rest: Buffer = Buffer.alloc(0);
	/** Whether the rest, or what follows on it, goes on with a line. */
	#isInLine = false;
	/** The boundaries of all that has parts. */
	readonly #boundaries = new Map<SplitPart, string>();
	/** What has parts around here, by boundary; undefined when that may have changed. */
	#open: Map<string, SplitPart> | undefined;

	constructor(splitter: Splitter) {
		this.#splitter = splitter;
		this.#part = splitter.node;
		splitter._transform = (bytes, _encoding, done) => done(failureOf(() => this.#add(bytes)));
		splitter._flush = done => done(failureOf(() => this.#end()));
	}

	#add(chunk: Buffer): void {
		const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
		const {from, line} = this.#readLines(bytes, false);
		this.#isInLine = this.#place !== 'header' && !mayBeBoundary(bytes, line);
		const end = this.#endOfKnown(bytes, from, line);
		this.#give(bytes.subarray(from, end));
		this.#rest = bytes.subarray(end);
		this.#limitHeader(this.#rest.length);
	}

	#end(): void {
		const {from} = this.#readLines(this.#rest, true);
		this.#give(this.#rest.subarray(from));
		if (this.#place === 'header' && (this.#part._headerlen > 0 || !this.#part.parentNode)) {
			this.#beginBody();
		}
	}

	/** Reads whole lines. Gives how far their bytes were given on, and where the last line begins; -1 when it began before. */
	#readLines(bytes: Buffer, isLast: boolean): {from: number; line: number} {
		let from = 0;
		let line = this.#isInLine ? lineAfter(bytes, 0, isLast) : 0;
		let next = line < 0 ? line : lineAfter(bytes, line, isLast);
		while (next >= 0) {
			const boundary = this.#boundaryIn(bytes, line, next);
			if (boundary !== undefined) {
				this.#give(bytes.subarray(from, lineEndBefore(bytes, from, line)));
				this.#pass(boundary, bytes.subarray(line, next));
				from = next;
			} else if (this.#place === 'header' && isBlank(bytes, line)) {
				this.#give(bytes.subarray(from, next));
				this.#beginBody();
				from = next;
			}

			line = next;
			next = lineAfter(bytes, line, isLast);
		}

		return {from, line};
	}

	/** Where the bytes end that what comes next does not change. The line end before a boundary is none of the body. */
	#endOfKnown(bytes: Buffer, from: number, line: number): number {
		if (this.#isInLine) {
			return bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
		}

		return this.#place === 'header' ? line : lineEndBefore(bytes, from, line);
	}

	#give(bytes: Buffer): void {
		if (this.#place === 'header') {
			this.#limitHeader(bytes.length);
			this.#part.addHeaderChunk(withoutRunsOfReturns(bytes));
		} else if (this.#place === 'body' && bytes.length > 0) {
			this.#splitter.push({type: 'body', node: this.#part, value: bytes});
		}
	}

	#limitHeader(more: number): void {
		if (this.#place === 'header' && this.#part._headerlen + more > maxHeaderBytes) {
			throw new UnreadableMail('a header section in it is longer than 1 MiB');
		}
	}

	#beginBody(): void {
		this.#part.parseHeaders();
		if (isOfDigest(this.#part)) {
			this.#part.contentType = 'message/rfc822';
		}

		const boundary = isMultipart(this.#part) && this.#part._boundary;
		if (boundary && levelOf(this.#part) >= maxLevels) {
			this.#part.contentType = 'application/octet-stream';
			this.isTooDeep = true;
		} else if (boundary) {
			this.#boundaries.set(this.#part, boundary.toString('latin1').trimEnd());
		}

		this.#splitter.push(this.#part);
		this.#place = 'body';
		this.#open = undefined;
	}

	#boundaryIn(bytes: Buffer, line: number, next: number): Boundary | undefined {
		if (bytes[line] !== hyphen || bytes[line + 1] !== hyphen || next - line > maxBoundaryBytes) {
			return undefined;
		}

		this.#open ??= this.#openParts(this.#place === 'epilogue' ? this.#part.parentNode : this.#part);
		const text = bytes.toString('latin1', line + 2, paddingBefore(bytes, next));
		const isClosing = !this.#open.has(text) && text.endsWith('--');
		const owner = this.#open.get(isClosing ? text.slice(0, -2) : text);
		const isRepeated = isClosing && owner === this.#part && this.closed.has(owner);
		return owner === undefined || isRepeated ? undefined : {owner, isClosing};
	}

	/** What has parts around a line, by boundary. Outer boundaries end inner parts, too; of equal ones the inner counts. */
	#openParts(innermost: SplitPart | false): Map<string, SplitPart> {
		const open = new Map<string, SplitPart>();
		for (let part = innermost; part; part = part.parentNode) {
			const boundary = this.#boundaries.get(part) ?? '';
			if (boundary !== '' && !open.has(boundary)) {
				open.set(boundary, part);
			}
		}

		return open;
	}

	#pass({owner, isClosing}: Boundary, line: Buffer): void {
		if (this.#place === 'header' && this.#part._headerlen > 0) {
			this.#beginBody();
		}

		this.#splitter.push({type: 'data', node: this.#part, value: line});
		if (!isClosing) {
			this.#beginPart(owner);
			return;
		}

		this.closed.add(owner);
		// What is closed before its first part may still have parts.
		if (owner !== this.#part) {
			this.#part = owner;
			this.#place = 'epilogue';
			this.#open = undefined;
		}
	}

	#beginPart(parent: SplitPart): void {
		this.#partCount++;
		if (this.#partCount > maxParts) {
			throw new UnreadableMail('it has more than 1,000 parts');
		}

		this.#splitter.newNode(parent);
		this.#part = this.#splitter.node;
		this.#place = 'header';
		this.#open = undefined;
	}
}

/** In such runs mailsplit looks for the end of the header section from each return on. */
function withoutRunsOfReturns(lines: Buffer): Buffer {
	return lines.includes('\r\r') ? Buffer.from(lines.toString('latin1').replace(/\r+(?=\r)/g, ''), 'latin1') : lines;
}

/** Where the line begins that follows on the one at `start`; -1 when it has no end, unless it is the last one. */
function lineAfter(bytes: Buffer, start: number, isLast: boolean): number {
	let end = start;
	while (end < bytes.length && bytes[end] !== lineFeed) {
		end++;
	}

	if (end < bytes.length) {
		return end + 1;
	}

	return isLast && end > start ? end : -1;
}

/** Where the spaces and the line end in front of a line begin. */
function paddingBefore(bytes: Buffer, line: number): number {
	let start = line;
	while ((bytes[start - 1] ?? 0) <= space) {
		start--;
	}

	return start;
}

/** Where the line end in front of a line begins. */
function lineEndBefore(bytes: Buffer, from: number, line: number): number {
	if (line === from || bytes[line - 1] !== lineFeed) {
		return line;
	}

	return line - 1 > from && bytes[line - 2] === carriageReturn ? line - 2 : line - 1;
}

function isBlank(bytes: Buffer, line: number): boolean {
	return bytes[line] === lineFeed || (bytes[line] === carriageReturn && bytes[line + 1] === lineFeed);
}

/** Whether a line that is not whole yet can become a boundary. */
function mayBeBoundary(bytes: Buffer, line: number): boolean {
	const beginning = bytes.subarray(line, line + 2);
	return line >= 0 && bytes.length - line <= maxBoundaryBytes && beginning.every(byte => byte === hyphen);
}

function failureOf(work: () => void): Error | undefined {
	try {
		work();
		return undefined;
	} catch (error) {
		return error as Error;
	}
}
