import type {Readable, Writable} from 'node:stream';

/** A part as mailsplit, the splitter of mailparser, makes it. */
export type SplitPart = {
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
	/** The subtype of what has parts. */
	multipart: string | false;
	readonly _boundary: Buffer | false;
	_headersLines: Buffer[];
	/** Bytes of its header section so far. */
	readonly _headerlen: number;
	parseHeaders(): void;
	/** What takes its transfer encoding away. */
	getDecoder(): Readable & Writable;
};

/** What mailparser reads the lines of a mail with. Each line is looked at for a boundary before all else. */
export type Splitter = {
	/** The part that it stands in. */
	readonly node: SplitPart;
	/** Whether it stands behind the closing boundary of that part. */
	readonly inEpilogue: boolean;
	push(part: SplitPart): boolean;
	newNode(parent: SplitPart | false): void;
	/** Whether the line opens (1) or closes (2) parts of the part that it stands in, or (3, 4) of `parentMultipartNode`. */
	checkBoundary(line: Buffer): 1 | 2 | 3 | 4 | false;
	parentMultipartNode(): SplitPart | false;
};

/**
 * Has a splitter read boundaries and parts as RFC 2046 says, in linear time. Gives the parts whose closing boundary it
 * has seen.
 */
export function mendSplitter(splitter: Splitter): ReadonlySet<SplitPart> {
	const {newNode} = splitter;
	const closed = new Set<SplitPart>();
	let owner: SplitPart | false = false;
	/** What has parts around the line, by boundary; undefined when that may have changed. */
	let open: Map<string, SplitPart> | undefined;

	function mendPart(part: SplitPart): void {
		const {parseHeaders} = part;
		part.parseHeaders = () => {
			// In runs of them it looks for the end of the section from each one on.
			part._headersLines = part._headersLines.map(withoutRunsOfReturns);
			parseHeaders.call(part);
			open = undefined;
			if (isOfDigest(part)) {
				part.contentType = 'message/rfc822';
			}

			// The lines around its parts then are its body, which is all there is when no boundary is found.
			part.multipart = false;
		};
	}

	mendPart(splitter.node);
	splitter.newNode = parent => {
		const {node} = splitter;
		// A boundary within a header section ends it.
		if (node._headerlen > 0 && !node.headers) {
			node.parseHeaders();
			splitter.push(node);
		}

		newNode.call(splitter, parent);
		mendPart(splitter.node);
		open = undefined;
	};
	splitter.parentMultipartNode = () => owner;
	splitter.checkBoundary = line => {
		const delimiter = delimiterIn(line);
		if (delimiter === undefined) {
			return false;
		}

		open ??= openParts(splitter);
		const isClosing = !open.has(delimiter) && delimiter.endsWith('--');
		owner = open.get(isClosing ? delimiter.slice(0, -2) : delimiter) ?? false;
		if (!owner) {
			return false;
		}

		const isOwn = owner === splitter.node;
		if (!isClosing) {
			return isOwn ? 1 : 3;
		}

		closed.add(owner);
		open = isOwn ? open : undefined;
		return isOwn ? 2 : 4;
	};
	return closed;
}

function withoutRunsOfReturns(line: Buffer): Buffer {
	return line.includes('\r\r') ? Buffer.from(line.toString('latin1').replace(/\r+(?=\r)/g, ''), 'latin1') : line;
}

/** Whether the part has parts. */
export function isMultipart({contentType}: SplitPart): boolean {
	return /^multipart\//.test(contentType || '');
}

/** Whether it is a mail because it says nothing else (RFC 2046, section 5.1.5). */
function isOfDigest({parentNode, headers}: SplitPart): boolean {
	return (
		parentNode && parentNode.contentType === 'multipart/digest' && headers && headers.get('content-type').length === 0
	);
}

/** What follows the two hyphens of a line, without the padding at its end; undefined when it does not begin with them. */
function delimiterIn(line: Buffer): string | undefined {
	// The line end before a boundary can be there, too: it belongs to it.
	const [first, second] = line;
	const start = first === 13 && second === 10 ? 2 : first === 13 || first === 10 ? 1 : 0;
	return line[start] === 45 && line[start + 1] === 45 ? line.toString('latin1', start + 2).trimEnd() : undefined;
}

/** Outer boundaries end inner parts, too, and of equal boundaries the inner one counts. */
function openParts({node, inEpilogue}: Splitter): Map<string, SplitPart> {
	const open = new Map<string, SplitPart>();
	for (let part = inEpilogue ? node.parentNode : node; part; part = part.parentNode) {
		const boundary = isMultipart(part) && part._boundary ? part._boundary.toString('latin1').trimEnd() : '';
		if (boundary !== '' && !open.has(boundary)) {
			open.set(boundary, part);
		}
	}

	return open;
}
