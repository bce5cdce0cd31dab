import type {SMTPStream} from 'smtp-server/lib/smtp-stream.js';

const dotLine = Buffer.from('\r\n.');
const dot = 0x2e;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

type Callback = (error?: Error | null) => void;

/** What a piece of data comes to: bytes of the mail, and what is to be looked at again together with the next piece. */
type Reading = {readonly mail: Buffer; readonly rest: Buffer; readonly isOver: boolean};

/**
 * Takes what arrives after DATA, as `_feedDataStream` of the library does, which also takes a dot away that follows a
 * bare line feed. Clients add dots after CRLF alone (RFC 5321, section 4.5.2), so that one was of the mail.
 */
export function feedMailData(this: SMTPStream, chunk: Buffer, done: Callback): void {
	const stream = this._dataStream;
	if (!stream) {
		done();
		return;
	}

	const data = this._lastBytes ? Buffer.concat([this._lastBytes, chunk]) : chunk;
	const {mail, rest, isOver} = readMailData(data, this._atDataStart);
	this._countDataBytes(mail.length);
	this._lastBytes = !isOver && rest.length > 0 && rest;
	if (isOver) {
		this._endDataMode(mail, rest, done);
	} else if (mail.length === 0 || !stream.writable || stream.write(mail) || stream.destroyed) {
		done();
	} else {
		// A stream that is destroyed never drains.
		const goOn = () => {
			stream.off('drain', goOn).off('close', goOn);
			done();
		};
		stream.once('drain', goOn).once('close', goOn);
	}
}

/**
 * Reads as far as it can be told what is meant, in place: what follows a dot that was added moves forward. The beginning
 * of the data counts as that of a line.
 */
function readMailData(data: Buffer, isStart: boolean): Reading {
	const {length} = data;
	const isAtDot = isStart && data[0] === dot;
	const firstDot = isAtDot ? 0 : data.indexOf(dotLine);
	let from = firstDot === -1 ? Math.max(0, length - 2) : firstDot;
	let to = from;
	/** Bytes of a line end that came last. */
	let ending = isAtDot ? 2 : 0;
	// Byte by byte from the first dot on: a mail can have one on each line, and each look for the next one has its price.
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
