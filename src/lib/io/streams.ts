import type {IncomingMessage} from 'node:http';
import {finished} from 'node:stream';

/** Body of a request or response; undefined as soon as it exceeds `maxBytes`. Rejects with the reason of `signal` if it aborts. */
export async function readBytes(
	request: IncomingMessage,
	maxBytes: number,
	signal?: AbortSignal,
): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	return new Promise<Buffer | undefined>((resolve, reject) => {
		const settle = (act: () => void) => {
			stopWatching();
			signal?.removeEventListener('abort', abort);
			request.off('data', add);
			act();
		};
		const abort = () => settle(() => reject(signal?.reason));
		const add = (chunk: Buffer) => {
			size += chunk.length;
			chunks.push(chunk);
			if (size > maxBytes) {
				// The socket is still needed to respond to a client that sends too much.
				request.pause();
				settle(() => resolve(undefined));
			}
		};
		const stopWatching = finished(request, {writable: false}, error =>
			settle(() => (error ? reject(error) : resolve(Buffer.concat(chunks)))),
		);
		signal?.addEventListener('abort', abort);
		request.on('data', add);
	});
}

/**
 * Groups items into batches, in order. A batch contains the items that arrived while the previous one was processed, as long
 * as the next one fits. If items arrive slowly, each is yielded immediately.
 */
export async function* inBatches<T>(
	items: AsyncIterable<T>,
	fits: (batch: readonly T[], next: T) => boolean,
): AsyncGenerator<readonly T[]> {
	let batch: T[] = [];
	let isOver = false;
	let isLeft = false;
	let ring = () => {};
	let changed = Promise.resolve();
	const tell = () => {
		ring();
		changed = new Promise(resolve => {
			ring = resolve;
		});
	};
	const collect = async () => {
		for await (const item of items) {
			while (!isLeft && batch.length > 0 && !fits(batch, item)) {
				await changed;
			}

			if (isLeft) {
				return;
			}

			batch.push(item);
			tell();
		}
	};
	tell();
	const collected = collect().finally(() => {
		isOver = true;
		tell();
	});
	// A failure is thrown after the items that arrived before it.
	collected.catch(() => {});
	try {
		for (;;) {
			while (batch.length === 0 && !isOver) {
				await changed;
			}

			if (batch.length === 0) {
				break;
			}

			const ready = batch;
			batch = [];
			tell();
			yield ready;
		}

		await collected;
	} finally {
		isLeft = true;
		tell();
	}
}
