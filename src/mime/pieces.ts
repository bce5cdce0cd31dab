import type {Readable} from 'node:stream';

const longest = 256 * 1024;

/** A copy of its own, so that it can be given away to a thread. */
export type Piece = {readonly bytes: Uint8Array<ArrayBuffer>; readonly isLast: boolean};

/** The bytes of a source in pieces: at least one, of which the last says so. `watch` sees them as soon as they come. */
export async function* piecesOf(source: Readable, watch?: (bytes: Uint8Array) => void): AsyncGenerator<Piece> {
	let last = new Uint8Array();
	for await (const chunk of source as AsyncIterable<Buffer>) {
		for (let from = 0; from < chunk.length; from += longest) {
			if (last.length > 0) {
				yield {bytes: last, isLast: false};
			}

			last = new Uint8Array(chunk.subarray(from, from + longest));
			watch?.(last);
		}
	}

	yield {bytes: last, isLast: true};
}
