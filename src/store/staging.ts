import {finished, type Readable} from 'node:stream';
import type {StagedSource} from './port.js';

/** Mail of up to this size is held in memory until it is stored. */
const smallLimit = 64 * 1024;

/** All bytes of a small mail; undefined of a large one. */
export function inlineBytes({size, head}: StagedSource): Buffer | undefined {
	return size <= smallLimit ? head : undefined;
}

/**
 * Takes in a mail. What is large is handed over when so much has come: its head, and the stream with the rest, which is to
 * be listened to at once. Rejects when the stream fails or ends early. `id` is to be that of no other source.
 */
export async function stageBytes(
	bytes: Readable,
	id: string,
	takeLarge: (head: Buffer, rest: Readable) => Promise<StagedSource>,
): Promise<StagedSource> {
	return new Promise((resolve, reject) => {
		const chunks: Buffer[] = [];
		let size = 0;
		const take = (chunk: Buffer) => {
			chunks.push(chunk);
			size += chunk.length;
			if (size > smallLimit) {
				bytes.off('data', take);
				bytes.pause();
				stopWatching();
				resolve(takeLarge(Buffer.concat(chunks), bytes));
			}
		};
		// Listeners instead of a pipeline: that is several times cheaper, and most mail is small.
		const stopWatching = finished(bytes, {writable: false}, error => {
			if (error) {
				reject(error);
			} else {
				resolve({id, size, head: Buffer.concat(chunks)});
			}
		});
		bytes.on('data', take);
	});
}
