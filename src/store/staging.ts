import {finished, type Readable} from 'node:stream';
import type {StagedSource} from './port.js';

/** Maximum size of a small mail, which is held in memory until it is stored. */
const maxInlineBytes = 64 * 1024;

/** All bytes of a small mail; undefined for a large one. */
export function inlineBytes({size, head}: StagedSource): Buffer | undefined {
	return size <= maxInlineBytes ? head : undefined;
}

/**
 * Receives a mail. Calls `stageLarge` with the first bytes of a large one and with the stream of the rest, which has to be
 * consumed immediately. Rejects if the stream fails or ends early. `id` must not be in use.
 */
export async function stageBytes(
	bytes: Readable,
	id: string,
	stageLarge: (head: Buffer, rest: Readable) => Promise<StagedSource>,
): Promise<StagedSource> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		const onData = (chunk: Buffer) => {
			chunks.push(chunk);
			size += chunk.length;
			if (size > maxInlineBytes) {
				bytes.off('data', onData);
				bytes.pause();
				stopWatching();
				resolve(stageLarge(Buffer.concat(chunks), bytes));
			}
		};
		// Listeners are several times cheaper than a pipeline, and most mails are small.
		const stopWatching = finished(bytes, {writable: false}, error => {
			if (error) {
				reject(error);
			} else {
				resolve({id, size, head: Buffer.concat(chunks)});
			}
		});
		bytes.on('data', onData);
	});
}
