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
	/** As the mail says it, in lower case. */
	readonly encoding: string | false;
	readonly _boundary: Buffer | false;
	/** Bytes of its header section so far. */
	readonly _headerlen: number;
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

/** The boundary of what has parts, which is not in its type from here on; empty when it has none. */
export function boundaryOf(part: SplitPart): string {
	if (!isMultipart(part)) {
		return '';
	}

	// Some senders forget the semicolon in front of it.
	part.contentType = (part.contentType || '').replace(/\s.*/s, '');
	const field = part.headers ? part.headers.getFirst('content-type') : '';
	const [, quoted, bare] = /\sboundary\s*=\s*(?:"([^"]*)"|([^\s;]+))/i.exec(field) ?? [];
	return (part._boundary ? part._boundary.toString('latin1') : (quoted ?? bare ?? '')).trimEnd();
}

/** Whether it is a mail because it says nothing else (RFC 2046, section 5.1.5). */
export function isOfDigest({parentNode, headers}: SplitPart): boolean {
	return (
		parentNode && parentNode.contentType === 'multipart/digest' && headers && headers.get('content-type').length === 0
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
