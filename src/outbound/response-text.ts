import {pipeline, type Readable} from 'node:stream';
import {createBrotliDecompress, createGunzip, createInflate} from 'node:zlib';

/** Bytes of a response that are kept. */
export const keptBytes = 16 * 1024;

const decoders: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
	gzip: createGunzip,
	'x-gzip': createGunzip,
	deflate: createInflate,
	br: createBrotliDecompress,
};

/**
 * The first 16 KiB of a response as text, decompressed if need be. What comes after is never read: the connection is
 * dropped. A body that breaks off gives what came until then.
 */
export async function responseText(body: Readable, encoding: string): Promise<string> {
	const decoder = decoders[encoding.trim().toLowerCase()]?.();
	const bytes = decoder ? pipeline(body, decoder, () => {}) : body;
	const chunks: Buffer[] = [];
	let size = 0;
	try {
		for await (const chunk of bytes) {
			chunks.push(chunk);
			size += chunk.length;
			if (size >= keptBytes) {
				break;
			}
		}
	} catch {
		// The status has come: it decides, and the rest of the body is only for people to read.
	}

	// As part of a stream, so that a character cut in two at the end is left away.
	return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, keptBytes), {stream: true});
}
