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
