import type {SMTPStream} from 'smtp-server/lib/smtp-stream.js';

const lineEnd = Buffer.from('\r\n');
const dotLine = Buffer.from('\r\n.');
const dot = 0x2e;
const carriageReturn = 0x0d;
const lineFeed = 0x0a;

type Callback = (error?: Error | null) => void;

/** What a piece of data comes to: bytes of the mail, and what is to be looked at again together with the next piece. */
type Reading = {readonly mail: readonly Buffer[]; readonly rest: Buffer; readonly isOver: boolean};

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
	const bytes = mail.length === 1 && mail[0] ? mail[0] : Buffer.concat(mail);
	this._countDataBytes(bytes.length);
	this._lastBytes = isOver ? false : rest;
	if (isOver) {
		this._endDataMode(bytes, rest, done);
	} else if (bytes.length === 0 || !stream.writable || stream.write(bytes) || stream.destroyed) {
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

/** Reads as far as it can be told what is meant. The beginning of the data counts as that of a line. */
function readMailData(data: Buffer, isStart: boolean): Reading {
	const mail: Buffer[] = [];
	let from = 0;
	let at = isStart && data[0] === dot ? 0 : dotAfterLineEnd(data, 0);
	for (; at !== -1; at = dotAfterLineEnd(data, at + 1)) {
		const [next, afterNext] = [data[at + 1], data[at + 2]];
		if (next === carriageReturn && afterNext === lineFeed) {
			return {mail: [...mail, data.subarray(from, at)], rest: data.subarray(at + 3), isOver: true};
		}

		if (next === undefined || (next === carriageReturn && afterNext === undefined)) {
			break;
		}

		if (next === dot) {
			mail.push(data.subarray(from, at));
			from = at + 1;
		}
	}

	const to = at === -1 ? withoutLineEnd(data, from) : Math.max(from, at - lineEnd.length);
	return {mail: [...mail, data.subarray(from, to)], rest: data.subarray(to), isOver: false};
}

/** Where the next dot is that begins a line; -1 when there is none. */
function dotAfterLineEnd(data: Buffer, from: number): number {
	const at = data.indexOf(dotLine, from);
	return at === -1 ? -1 : at + lineEnd.length;
}

/** Where a line end begins that is the last of the data, or might be; the end of the data when there is none. */
function withoutLineEnd(data: Buffer, from: number): number {
	const {length} = data;
	const held = data[length - 1] === carriageReturn ? 1 : data.subarray(-2).equals(lineEnd) ? 2 : 0;
	return Math.max(from, length - held);
}
