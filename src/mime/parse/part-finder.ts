import {isBlank, isFold, isOfHeader, lineAfter, lineEndBefore, paddingBefore} from './byte-lines.js';
import {
	boundaryOf,
	cutHeaderSection,
	forMailsplit,
	levelOf,
	readHeaderSection,
	type SplitPart,
	type Splitter,
} from './mailsplit.js';

/** Why a mail cannot be read to its end, for people: the message is the end of a sentence. */
export class UnreadableMail extends Error {}

const carriageReturn = 13;
const hyphen = 45;

/** Bytes of the header section of a mail, and of those of all its parts together: they may take long to read. */
const maxHeaderBytes = 1024 * 1024;
const maxParts = 1000;
const maxLevels = 100;

const noEmptyLine =
	'The empty line after a header section is missing. The lines after its last field were read as the text.';

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
	/** Why the parts end before the mail does; undefined when they do not. */
	failure: UnreadableMail | undefined;
	readonly #splitter: Splitter;
	#part: SplitPart;
	#partCount = 1;
	/** Bytes of the header section of the mail so far, then of those of its parts. */
	#headerBytes = 0;
	/** Where in the part it stands; the epilogue is what follows on the last of its parts. */
	#place: 'header' | 'body' | 'epilogue' = 'header';
	/** Where in the header section what stands behind its last field begins; -1 when nothing does. */
	#strayStart = -1;
	/** What may belong to a header field or boundary that is not whole yet. */
	#rest: Buffer = Buffer.alloc(0);
	/** Whether the rest, or what follows on it, goes on with a line. */
	#isInLine = false;
	/** The boundaries of all that has parts. */
	readonly #boundaries = new Map<SplitPart, string>();
	/** Those that lines here may be; undefined when that may have changed. */
	#open: OpenBoundaries | undefined;

	constructor(splitter: Splitter) {
		this.#splitter = splitter;
		this.#part = splitter.node;
		splitter._transform = (bytes, _encoding, done) => done(this.#attempt(() => this.#add(bytes)));
		splitter._flush = done => done(this.#attempt(() => this.#end()));
	}

	/** What was found before a failure stays found, so that is no error of the splitter. */
	#attempt(work: () => void): Error | undefined {
		try {
			if (this.failure === undefined) {
				work();
			}
		} catch (error) {
			if (!(error instanceof UnreadableMail)) {
				return error as Error;
			}

			this.failure = error;
		}

		return undefined;
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
			} else if (this.#isAtBeginning() && line === from && !isOfHeader(bytes, line, next)) {
				this.#beginBody();
			} else if (this.#place === 'header') {
				this.#give(bytes.subarray(from, line));
				from = line;
				this.#findStray(bytes, line, next);
			}

			line = next;
			next = lineAfter(bytes, line, isLast);
		}

		return {from, line};
	}

	#findStray(bytes: Buffer, line: number, next: number): void {
		if (!isOfHeader(bytes, line, next)) {
			this.#strayStart = this.#strayStart < 0 ? this.#part._headerlen : this.#strayStart;
		} else if (!isFold(bytes, line)) {
			this.#strayStart = -1;
		}
	}

	/** Whether nothing was given of the part. */
	#isAtBeginning(): boolean {
		return this.#place === 'header' && this.#part.parentNode !== false && this.#part._headerlen === 0;
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
			this.#headerBytes += bytes.length;
			this.#part.addHeaderChunk(forMailsplit(bytes));
		} else if (this.#place === 'body' && bytes.length > 0) {
			this.#splitter.push({type: 'body', node: this.#part, value: bytes});
		}
	}

	#limitHeader(more: number): void {
		if (this.#place === 'header' && this.#headerBytes + more > maxHeaderBytes) {
			const what = this.#part.parentNode ? 'the header sections of its parts are' : 'a header section in it is';
			throw new UnreadableMail(`${what} longer than 1 MiB`);
		}
	}

	/** What stands behind the last field of a header section is text whose empty line is missing; `isAll` when all of it is there. */
	#beginBody(isAll = false): void {
		this.#headerBytes = this.#part.parentNode ? this.#headerBytes : 0;
		const stray = this.#strayStart < 0 ? undefined : cutHeaderSection(this.#part, this.#strayStart);
		this.#strayStart = -1;
		readHeaderSection(this.#part);
		const boundary = boundaryOf(this.#part);
		if (boundary !== '' && levelOf(this.#part) >= maxLevels) {
			this.#part.contentType = 'application/octet-stream';
			this.isTooDeep = true;
		} else if (boundary !== '') {
			this.#boundaries.set(this.#part, boundary);
		}

		this.#splitter.push(this.#part);
		this.#place = 'body';
		this.#open = undefined;
		if (stray !== undefined) {
			this.#part.problems?.push(...(this.#part._headerlen > 0 ? [noEmptyLine] : []));
			this.#give(isAll ? stray.subarray(0, lineEndBefore(stray, 0, stray.length)) : stray);
		}
	}

	#boundaryIn(bytes: Buffer, line: number, next: number): Boundary | undefined {
		if (bytes[line] !== hyphen || bytes[line + 1] !== hyphen || next - line > maxBoundaryBytes) {
			return undefined;
		}

		const {closed} = this;
		const part = this.#part;
		const innermost = this.#place === 'epilogue' ? part.parentNode : part;
		this.#open ??= new OpenBoundaries(innermost, this.#boundaries, closed.has(part) ? part : undefined);
		return this.#open.find(bytes, line + 2, paddingBefore(bytes, next));
	}

	#pass({owner, isClosing}: Boundary, line: Buffer): void {
		if (this.#place === 'header' && this.#part._headerlen > 0) {
			this.#beginBody(true);
		}

		this.#splitter.push({type: 'data', node: this.#part, value: line});
		if (!isClosing) {
			this.#beginPart(owner);
			return;
		}

		this.closed.add(owner);
		this.#open = undefined;
		// What is closed before its first part may still have parts.
		if (owner !== this.#part) {
			this.#part = owner;
			this.#place = 'epilogue';
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

/** Whether a line that is not whole yet can become a boundary. */
function mayBeBoundary(bytes: Buffer, line: number): boolean {
	const beginning = bytes.subarray(line, line + 2);
	return line >= 0 && bytes.length - line <= maxBoundaryBytes && beginning.every(byte => byte === hyphen);
}

/** A line that begins a part of its owner, or ends the last of them. */
type Boundary = {readonly owner: SplitPart; readonly isClosing: boolean};

/** The boundaries that lines may be at a place in a mail, by what they say behind their hyphens. */
class OpenBoundaries {
	readonly #boundaries = new Map<string, Boundary>();
	/** How long they are, and how they end: what is otherwise need not be looked up, which takes longer than a line may. */
	readonly #forms = new Set<number>();

	/**
	 * Takes the part around the place, what it and all around it have as a boundary, and whose parts have ended already. Outer
	 * boundaries end inner parts, too; of equal ones the inner counts.
	 */
	constructor(innermost: SplitPart | false, names: ReadonlyMap<SplitPart, string>, ended: SplitPart | undefined) {
		const owners: SplitPart[] = [];
		for (let part = innermost; part; part = part.parentNode) {
			owners.push(part);
		}

		for (const [suffix, isClosing] of [
			['', false],
			['--', true],
		] as const) {
			for (const owner of owners) {
				const name = names.get(owner);
				if (name !== undefined && !(isClosing && owner === ended)) {
					this.#add(name + suffix, {owner, isClosing});
				}
			}
		}
	}

	/** The boundary that stands between two places behind its hyphens. */
	find(bytes: Buffer, start: number, end: number): Boundary | undefined {
		const isPossible = this.#forms.has(formOf(end - start, bytes[end - 1] ?? 0));
		return isPossible ? this.#boundaries.get(bytes.toString('latin1', start, end)) : undefined;
	}

	#add(text: string, boundary: Boundary): void {
		if (!this.#boundaries.has(text)) {
			this.#boundaries.set(text, boundary);
			this.#forms.add(formOf(text.length, text.charCodeAt(text.length - 1)));
		}
	}
}

function formOf(length: number, last: number): number {
	return length * 256 + last;
}
