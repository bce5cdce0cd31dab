import {commentsIn} from './header-section.js';

/** Part of a mail in mailsplit, the splitter of mailparser. */
export type SplitPart = {
	readonly type: 'node';
	readonly parentNode: SplitPart | false;
	/** False until the header section is parsed. */
	readonly headers: {get(name: string): readonly string[]; getFirst(name: string): string} | false;
	contentType: string | false;
	readonly charset: string | false;
	readonly disposition: string | false;
	readonly filename: string | false;
	/** Parameters `format=flowed` and `delsp=yes` of a text. */
	readonly flowed: boolean;
	readonly delSp: boolean;
	/** Transfer encoding, in lower case; a known one in its standard spelling. */
	encoding: string | false;
	/** Sentences about problems in its header section. */
	problems?: string[];
	/** Parser of fields with parameters. */
	readonly libmime: {parseHeaderValue(field: string): unknown};
	readonly _boundary: Buffer | false;
	/** Length of the header section so far. */
	_headerlen: number;
	_headersLines: Buffer[];
	addHeaderChunk(lines: Buffer): void;
	parseHeaders(): void;
};

/** Output of the splitter: a part with its header section, bytes of a body, or bytes between parts. */
export type SplitChunk = SplitPart | {readonly type: 'body' | 'data'; readonly node: SplitPart; readonly value: Buffer};

/** Stream of mailsplit from bytes to chunks. */
export type Splitter = {
	/** Part that was created last; at first the root. */
	readonly node: SplitPart;
	newNode(parent: SplitPart | false): void;
	push(chunk: SplitChunk): boolean;
	_transform(bytes: Buffer, encoding: string, done: (error?: Error) => void): void;
	_flush(done: (error?: Error) => void): void;
};

/** True if the part is a multipart. */
export function isMultipart({contentType}: SplitPart): boolean {
	return /^multipart\//.test(contentType || '');
}

/**
 * Prepares lines of a header section for mailsplit, which takes quadratic time for runs of carriage returns and does not
 * accept a space after the name `From`.
 */
export function prepareHeaderLines(lines: Buffer): Buffer {
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

/** Removes everything after `length` bytes from a header section that is not parsed yet, and returns it. */
export function cutHeaderSection(part: SplitPart, length: number): Buffer {
	const section = Buffer.concat(part._headersLines);
	part._headersLines = [section.subarray(0, length)];
	part._headerlen = length;
	return section.subarray(length);
}

/** Maximum length of quoted values in problems. */
const maxShownLength = 40;

const encodings = ['7bit', '8bit', 'binary', 'base64', 'quoted-printable'];

/**
 * Parses the header section of a part. Replaces an invalid type or an unknown encoding by its default (RFC 2045, section
 * 5.2) and records the problem.
 */
export function readHeaderSection(part: SplitPart): void {
	const {libmime} = part;
	const {parseHeaderValue} = libmime;
	libmime.parseHeaderValue = field => parseHeaderValue.call(libmime, repairParameters(field));
	part.parseHeaders();
	const problems: string[] = [];
	const declared = part.contentType || '';
	const type = isOfDigest(part) ? 'message/rfc822' : typeIn(declared);
	part.contentType = type ?? (part.filename ? 'application/octet-stream' : 'text/plain');
	if (type === undefined) {
		problems.push(`A part declares the invalid type ${quoted(declared)}. It was read as ${part.contentType}.`);
	}

	const encoding = (part.encoding || '').replace(/;.*/s, '').trim();
	const known = encodings.find(name => lettersOf(name) === lettersOf(encoding));
	part.encoding = known ?? encoding;
	if (known === undefined && encoding !== '' && !isMultipart(part)) {
		problems.push(`A part declares the unknown transfer encoding ${quoted(encoding)}. It was not decoded.`);
	}

	part.problems = problems;
}

/** Returns the type and subtype at the start of a text; undefined if there are none. */
function typeIn(text: string): string | undefined {
	const [, type, subtype] = /^([^\s/;,]+)\s*\/\s*([^\s;,]+)/.exec(text) ?? [];
	return type === undefined ? undefined : `${type}/${subtype}`;
}

function lettersOf(name: string): string {
	return name.replace(/[^a-z\d]/g, '');
}

function quoted(declared: string): string {
	return `"${declared.slice(0, maxShownLength)}"`;
}

/** Returns the boundary of a multipart; empty for other parts. */
export function boundaryOf(part: SplitPart): string {
	return isMultipart(part) && part._boundary ? part._boundary.toString('latin1').trimEnd() : '';
}

/** True for a part of a digest without a type, which is a mail by default (RFC 2046, section 5.1.5). */
function isOfDigest({parentNode, headers}: SplitPart): boolean {
	return (
		parentNode !== false &&
		parentNode.contentType === 'multipart/digest' &&
		headers !== false &&
		headers.get('content-type').length === 0
	);
}

/** Returns the nesting level of a part. */
export function levelOf({parentNode}: SplitPart): number {
	let level = 0;
	for (let part = parentNode; part; part = part.parentNode) {
		level++;
	}

	return level;
}

/**
 * Repairs a field such as `Content-Type` (RFC 2045, section 5.1) so that all parsers read it alike: removes comments and
 * repeated parameters, and adds a missing semicolon before the first parameter.
 */
function repairParameters(field: string): string {
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

/** Splits a field at semicolons outside quotes. */
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

/** Removes comments, except parentheses inside an unquoted file name. */
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

/** Splits the value from the first parameter, which some senders separate only by a space or comma. */
function withSemicolon(piece: string): string[] {
	const equals = piece.indexOf('=');
	const before = piece.slice(0, Math.max(equals, 0)).trimEnd();
	const name = Math.max(...[' ', '\t', ','].map(sign => before.lastIndexOf(sign))) + 1;
	return equals < 0 ? [piece] : [piece.slice(0, name), piece.slice(name)];
}
