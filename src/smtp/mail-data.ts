import type {SMTPStream} from 'smtp-server/lib/smtp-stream.js';

const dotLine = Buffer.from('\r\n.');
const dot = 0x2e;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

type Callback = (error?: Error | null) => void;

/** Result of unescaping a chunk: bytes of the mail, and a tail to prepend to the next chunk. */
type UnescapedChunk = {readonly mail: Buffer; readonly rest: Buffer; readonly isOver: boolean};

/**
 * Replaces `_feedDataStream` of the library, which reads what arrives after DATA. The library also removes a dot after a bare
 * line feed, but clients add dots only after CRLF (RFC 5321, section 4.5.2): that dot is part of the mail.
 */
export function feedMailData(this: SMTPStream, chunk: Buffer, done: Callback): void {
	const stream = this._dataStream;
	if (!stream) {
		done();
		return;
	}

	const data = this._lastBytes ? Buffer.concat([this._lastBytes, chunk]) : chunk;
	const {mail, rest, isOver} = unescapeChunk(data, this._atDataStart);
	this._countDataBytes(mail.length);
	this._lastBytes = !isOver && rest.length > 0 && rest;
	if (isOver) {
		this._endDataMode(mail, rest, done);
	} else if (mail.length === 0 || !stream.writable || stream.write(mail) || stream.destroyed) {
		done();
	} else {
		// A destroyed stream never drains.
		const proceed = () => {
			stream.off('drain', proceed).off('close', proceed);
			done();
		};
		stream.once('drain', proceed).once('close', proceed);
	}
}

/**
 * Removes dot-stuffing in place, as far as the bytes are unambiguous: what follows a removed dot moves forward. The start of the
 * data counts as the start of a line.
 */
function unescapeChunk(data: Buffer, isStart: boolean): UnescapedChunk {
	const {length} = data;
	const isAtDot = isStart && data[0] === dot;
	const firstDot = isAtDot ? 0 : data.indexOf(dotLine);
	let from = firstDot === -1 ? Math.max(0, length - 2) : firstDot;
	let to = from;
	/** Bytes of a line end read last. */
	let ending = isAtDot ? 2 : 0;
	// Byte by byte from the first dot on: a mail can have a dot on each line, and each `indexOf` has its price.
	for (; from < length; from++) {
		const byte = data[from] ?? 0;
		if (byte === dot && ending === 2) {
			const next = data[from + 1];
			const afterNext = data[from + 2];
			if (next === carriageReturn && afterNext === lineFeed) {
				return {mail: data.subarray(0, to), rest: data.subarray(from + 3), isOver: true};
			}

			if (next === undefined || (next === carriageReturn && afterNext === undefined)) {
				break;
			}

			if (next === dot) {
				from++;
			}
		}

		data[to++] = byte;
		ending = byte === carriageReturn ? 1 : byte === lineFeed && ending === 1 ? 2 : 0;
	}

	const end = Math.max(0, to - ending);
	return {
		mail: data.subarray(0, end),
		rest: Buffer.concat([data.subarray(end, to), data.subarray(from)]),
		isOver: false,
	};
}
