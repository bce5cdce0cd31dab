import {isBlank, isFold, isOfHeader, lineAfter, lineEndBefore, paddingBefore} from './byte-lines.js';
import {
	boundaryOf,
	cutHeaderSection,
	levelOf,
	prepareHeaderLines,
	readHeaderSection,
	type SplitPart,
	type Splitter,
} from './mailsplit.js';

/** Error of a mail that cannot be parsed completely. The message is the end of a sentence. */
export class UnreadableMail extends Error {}

const carriageReturn = 13;
const hyphen = 45;

/** Maximum length of the header section of a mail, and of all header sections of its parts together. */
const maxHeaderBytes = 1024 * 1024;
const maxParts = 1000;
const maxLevels = 100;

const noEmptyLine =
	'The empty line after a header section is missing. The lines after its last field were read as the text.';

/** Maximum length of a boundary line. */
const maxBoundaryBytes = 16 * 1024;

/**
 * Finds the parts of a mail (RFC 2046, section 5.1). Replaces the parser of mailsplit, which accepts no spaces after
 * boundaries and no outer boundaries, and is slow for each line.
 */
export class PartFinder {
	/** Parts whose closing boundary was found. */
	readonly closed = new Set<SplitPart>();
	/** True if a multipart was not split, because it is nested 100 levels deep. */
	isTooDeep = false;
	/** Reason why parsing stopped before the end of the mail, if it did. */
	failure: UnreadableMail | undefined;
	readonly #splitter: Splitter;
	#part: SplitPart;
	#partCount = 1;
	/** Length of the header section of the mail, then of all header sections of its parts. */
	#headerBytes = 0;
	/** Position in the current part; the epilogue follows its last child. */
	#position: 'header' | 'body' | 'epilogue' = 'header';
	/** Start of text after the last field of the header section; -1 if there is none. */
	#strayStart = -1;
	/** Input that may be an incomplete header field or boundary. */
	#pending: Buffer = Buffer.alloc(0);
	/** True if the next input continues a line. */
	#isInLine = false;
	/** Boundaries of all multiparts. */
	readonly #boundaries = new Map<SplitPart, string>();
	/** Boundaries that may occur at the current position; undefined if they must be computed again. */
	#open: OpenBoundaries | undefined;

	constructor(splitter: Splitter) {
		this.#splitter = splitter;
		this.#part = splitter.node;
		splitter._transform = (bytes, _encoding, done) => done(this.#catchFailure(() => this.#add(bytes)));
		splitter._flush = done => done(this.#catchFailure(() => this.#end()));
	}

	/** Parts before a failure are kept, so a failure is no error of the splitter. */
	#catchFailure(work: () => void): Error | undefined {
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
		const bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
		const {from, line} = this.#readLines(bytes, false);
		this.#isInLine = this.#position !== 'header' && !mayBeBoundary(bytes, line);
		const end = this.#endOfFixedInput(bytes, from, line);
		this.#passOn(bytes.subarray(from, end));
		this.#pending = bytes.subarray(end);
		this.#limitHeader(this.#pending.length);
	}

	#end(): void {
		const {from} = this.#readLines(this.#pending, true);
		this.#passOn(this.#pending.subarray(from));
		if (this.#position === 'header' && (this.#part._headerlen > 0 || !this.#part.parentNode)) {
			this.#beginBody();
		}
	}

	/** Reads complete lines. Returns how far the input was passed on, and the start of the last line; -1 if it began earlier. */
	#readLines(bytes: Buffer, isLast: boolean): {from: number; line: number} {
		let from = 0;
		let line = this.#isInLine ? lineAfter(bytes, 0, isLast) : 0;
		let next = line < 0 ? line : lineAfter(bytes, line, isLast);
		while (next >= 0) {
			const boundary = this.#boundaryIn(bytes, line, next);
			if (boundary !== undefined) {
				this.#passOn(bytes.subarray(from, lineEndBefore(bytes, from, line)));
				this.#handleBoundary(boundary, bytes.subarray(line, next));
				from = next;
			} else if (this.#position === 'header' && isBlank(bytes, line)) {
				this.#passOn(bytes.subarray(from, next));
				this.#beginBody();
				from = next;
			} else if (this.#isAtBeginning() && line === from && !isOfHeader(bytes, line, next)) {
				this.#beginBody();
			} else if (this.#position === 'header') {
				this.#passOn(bytes.subarray(from, line));
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

	/** True at the start of a part. */
	#isAtBeginning(): boolean {
		return this.#position === 'header' && this.#part.parentNode !== false && this.#part._headerlen === 0;
	}

	/** Returns the end of the input that later input cannot change. The line end before a boundary does not belong to the body. */
	#endOfFixedInput(bytes: Buffer, from: number, line: number): number {
		if (this.#isInLine) {
			return bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
		}

		return this.#position === 'header' ? line : lineEndBefore(bytes, from, line);
	}

	#passOn(bytes: Buffer): void {
		if (this.#position === 'header') {
			this.#limitHeader(bytes.length);
			this.#headerBytes += bytes.length;
			this.#part.addHeaderChunk(prepareHeaderLines(bytes));
		} else if (this.#position === 'body' && bytes.length > 0) {
			this.#splitter.push({type: 'body', node: this.#part, value: bytes});
		}
	}

	#limitHeader(more: number): void {
		if (this.#position === 'header' && this.#headerBytes + more > maxHeaderBytes) {
			const what = this.#part.parentNode ? 'the header sections of its parts are' : 'a header section in it is';
			throw new UnreadableMail(`${what} longer than 1 MiB`);
		}
	}

	/**
	 * Ends the header section. Lines after its last field become text whose empty line is missing; `isAll` if all of that
	 * text is available.
	 */
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
		this.#position = 'body';
		this.#open = undefined;
		if (stray !== undefined) {
			this.#part.problems?.push(...(this.#part._headerlen > 0 ? [noEmptyLine] : []));
			this.#passOn(isAll ? stray.subarray(0, lineEndBefore(stray, 0, stray.length)) : stray);
		}
	}

	#boundaryIn(bytes: Buffer, line: number, next: number): Boundary | undefined {
		if (bytes[line] !== hyphen || bytes[line + 1] !== hyphen || next - line > maxBoundaryBytes) {
			return undefined;
		}

		const {closed} = this;
		const part = this.#part;
		const innermost = this.#position === 'epilogue' ? part.parentNode : part;
		this.#open ??= new OpenBoundaries(innermost, this.#boundaries, closed.has(part) ? part : undefined);
		return this.#open.find(bytes, line + 2, paddingBefore(bytes, next));
	}

	#handleBoundary({owner, isClosing}: Boundary, line: Buffer): void {
		if (this.#position === 'header' && this.#part._headerlen > 0) {
			this.#beginBody(true);
		}

		this.#splitter.push({type: 'data', node: this.#part, value: line});
		if (!isClosing) {
			this.#beginPart(owner);
			return;
		}

		this.closed.add(owner);
		this.#open = undefined;
		// A multipart that is closed before its first part may still have parts.
		if (owner !== this.#part) {
			this.#part = owner;
			this.#position = 'epilogue';
		}
	}

	#beginPart(parent: SplitPart): void {
		this.#partCount++;
		if (this.#partCount > maxParts) {
			throw new UnreadableMail('it has more than 1,000 parts');
		}

		this.#splitter.newNode(parent);
		this.#part = this.#splitter.node;
		this.#position = 'header';
		this.#open = undefined;
	}
}

/** True if an incomplete line can become a boundary. */
function mayBeBoundary(bytes: Buffer, line: number): boolean {
	const beginning = bytes.subarray(line, line + 2);
	return line >= 0 && bytes.length - line <= maxBoundaryBytes && beginning.every(byte => byte === hyphen);
}

/** Line that starts a child of its owner, or ends its last child. */
type Boundary = {readonly owner: SplitPart; readonly isClosing: boolean};

/** Boundaries that may occur at a position in a mail, by their text after the hyphens. */
class OpenBoundaries {
	readonly #boundaries = new Map<string, Boundary>();
	/** Lengths and last characters of the boundaries, a quick check before the lookup. */
	readonly #forms = new Set<number>();

	/**
	 * Takes the innermost multipart, all boundaries, and the part whose children have ended. Outer boundaries also end
	 * inner parts; of equal boundaries the inner one wins.
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

	/** Returns the boundary between two positions, without its hyphens. */
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
