import type {Readable} from 'node:stream';

const longest = 256 * 1024;

/** The bytes of a source in pieces that are copies of their own, so that they can be given away to a thread. */
export async function* piecesOf(source: Readable): AsyncGenerator<Uint8Array<ArrayBuffer>> {
	for await (const chunk of source as AsyncIterable<Buffer>) {
		for (let from = 0; from < chunk.length; from += longest) {
			yield new Uint8Array(chunk.subarray(from, from + longest));
		}
	}
}
