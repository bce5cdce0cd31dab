import {commentsIn} from './header-section.js';

/** A part as mailsplit, the splitter of mailparser, makes it. */
export type SplitPart = {
	readonly type: 'node';
	readonly parentNode: SplitPart | false;
	/** False until the header section was read. */
	readonly headers: {get(name: string): readonly string[]; getFirst(name: string): string} | false;
	contentType: string | false;
	readonly charset: string | false;
	readonly disposition: string | false;
	readonly filename: string | false;
	/** Whether the text is of `format=flowed`, and of `delsp=yes`. */
	readonly flowed: boolean;
	readonly delSp: boolean;
	/** As the mail says it, in lower case; one that is known as its standard writes it. */
	encoding: string | false;
	/** What its header section says wrong, in sentences. */
	problems?: string[];
	/** Reads fields with parameters. */
	readonly libmime: {parseHeaderValue(field: string): unknown};
	readonly _boundary: Buffer | false;
	/** Bytes of its header section so far. */
	_headerlen: number;
	_headersLines: Buffer[];
	addHeaderChunk(lines: Buffer): void;
	parseHeaders(): void;
};

/** What is found in a mail: a part with its header section, bytes of its body, or what is between parts. */
export type SplitChunk = SplitPart | {readonly type: 'body' | 'data'; readonly node: SplitPart; readonly value: Buffer};

/** mailsplit's stream from bytes to chunks. */
export type Splitter = {
	/** The part that was made last; at first the root. */
	readonly node: SplitPart;
	newNode(parent: SplitPart | false): void;
	push(chunk: SplitChunk): boolean;
	_transform(bytes: Buffer, encoding: string, done: (error?: Error) => void): void;
	_flush(done: (error?: Error) => void): void;
};

/** Whether the part has parts. */
export function isMultipart({contentType}: SplitPart): boolean {
	return /^multipart\//.test(contentType || '');
}

/**
 * Lines of a header section as mailsplit can read them. In runs of returns mailsplit looks for the end of the header section from each of them on; and a field `From` with a space
 * behind its name is none to it.
 */
export function forMailsplit(lines: Buffer): Buffer {
	const isOdd = lines.includes('\r\r') || lines.includes(' :');
	return isOdd
		? Buffer.from(
				lines
					.toString('latin1')
					.replace(/\r+(?=\r)/g, '')
					.replace(/^From[ \t]+:/i, 'From:'),
				'latin1',
			)
		: lines;
}

/** Takes what is behind a number of bytes out of a header section that was not read yet. */
export function cutHeaderSection(part: SplitPart, length: number): Buffer {
	const section = Buffer.concat(part._headersLines);
	part._headersLines = [section.subarray(0, length)];
	part._headerlen = length;
	return section.subarray(length);
}

/** What is shown of what a part says wrong. */
const maxShownLength = 40;

const encodings = ['7bit', '8bit', 'binary', 'base64', 'quoted-printable'];

/**
 * Has the part read its header section. Where that says a type that is none, or an encoding that nobody knows, the part has what
 * stands for it (RFC 2045, section 5.2), and says so.
 */
export function readHeaderSection(part: SplitPart): void {
	const {libmime} = part;
	const {parseHeaderValue} = libmime;
	libmime.parseHeaderValue = field => parseHeaderValue.call(libmime, mendParameters(field));
	part.parseHeaders();
	const problems: string[] = [];
	const said = part.contentType || '';
	const type = isOfDigest(part) ? 'message/rfc822' : typeIn(said);
	part.contentType = type ?? (part.filename ? 'application/octet-stream' : 'text/plain');
	if (type === undefined) {
		problems.push(`A part declares the invalid type ${quoted(said)}. It was read as ${part.contentType}.`);
	}

	const encoding = (part.encoding || '').replace(/;.*/s, '').trim();
	const known = encodings.find(name => lettersOf(name) === lettersOf(encoding));
	part.encoding = known ?? encoding;
	if (known === undefined && encoding !== '' && !isMultipart(part)) {
		problems.push(`A part declares the unknown transfer encoding ${quoted(encoding)}. It was not decoded.`);
	}

	part.problems = problems;
}

/** The type and subtype at the beginning of a text; undefined where there are none. */
function typeIn(text: string): string | undefined {
	const [, type, subtype] = /^([^\s/;,]+)\s*\/\s*([^\s;,]+)/.exec(text) ?? [];
	return type === undefined ? undefined : `${type}/${subtype}`;
}

function lettersOf(name: string): string {
	return name.replace(/[^a-z\d]/g, '');
}

function quoted(said: string): string {
	return `"${said.slice(0, maxShownLength)}"`;
}

/** The boundary of what has parts; empty when it has none. */
export function boundaryOf(part: SplitPart): string {
	return isMultipart(part) && part._boundary ? part._boundary.toString('latin1').trimEnd() : '';
}

/** Whether it is a mail because it says nothing else (RFC 2046, section 5.1.5). */
function isOfDigest({parentNode, headers}: SplitPart): boolean {
	return (
		parentNode !== false &&
		parentNode.contentType === 'multipart/digest' &&
		headers !== false &&
		headers.get('content-type').length === 0
	);
}

/** How many parts are around it. */
export function levelOf({parentNode}: SplitPart): number {
	let level = 0;
	for (let part = parentNode; part; part = part.parentNode) {
		level++;
	}

	return level;
}

/**
 * The value of a field like `Content-Type` (RFC 2045, section 5.1) in a form that all parsers take alike: without comments, with
 * a semicolon in front of the first parameter where its sender forgot that, and of equal parameters the first one alone.
 */
function mendParameters(field: string): string {
	const [first = '', ...others] = piecesOf(field.includes('(') ? withoutComments(field) : field);
	const names = new Set<string>();
	const pieces = [...withSemicolon(first), ...others].filter(piece => {
		const equals = piece.indexOf('=');
		const name = piece.slice(0, equals).trim().toLowerCase();
		const isKept = equals < 0 || !names.has(name);
		names.add(name);
		return isKept;
	});
	return pieces.join(';');
}

/** What stands between semicolons that are not quoted. */
function piecesOf(field: string): string[] {
	const pieces: string[] = [];
	let start = 0;
	let isQuoted = false;
	for (let at = 0; at < field.length; at++) {
		const sign = field[at];
		if (sign === '\\') {
			at++;
		} else if (sign === '"') {
			isQuoted = !isQuoted;
		} else if (sign === ';' && !isQuoted) {
			pieces.push(field.slice(start, at));
			start = at + 1;
		}
	}

	return [...pieces, field.slice(start)];
}

/** The field without comments, but with what looks like one in the middle of a file name that should be quoted. */
function withoutComments(field: string): string {
	let kept = '';
	let end = 0;
	let last = 0;
	for (const [from, to] of commentsIn(field)) {
		const isAtStart = /(?:^|[;=])\s*$/.test(field.slice(last, from)) && /^\s/.test(field.slice(to, to + 1));
		if (isAtStart || /^\s*(?:[;=]|$)/.test(field.slice(to))) {
			kept += field.slice(end, from);
			end = to;
		}

		last = to;
	}

	return kept + field.slice(end);
}

/** The value and the first parameter, which some senders set apart by a space or comma alone. */
function withSemicolon(piece: string): string[] {
	const equals = piece.indexOf('=');
	const before = piece.slice(0, Math.max(equals, 0)).trimEnd();
	const name = Math.max(...[' ', '\t', ','].map(sign => before.lastIndexOf(sign))) + 1;
	return equals < 0 ? [piece] : [piece.slice(0, name), piece.slice(name)];
}
