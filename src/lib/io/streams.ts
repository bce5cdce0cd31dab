import type {IncomingMessage} from 'node:http';

/** Number of chunks that are joined when they have arrived: a chunk of one byte takes more than a hundred bytes. */
const joinedChunks = 64;

/** Body of a request or response; undefined as soon as it exceeds `maxBytes`. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
	const joined: Buffer[] = [];
	let chunks: Buffer[] = [];
	let size = 0;
	// The socket is still needed to respond to a client that sends too much.
	for await (const chunk of request.iterator({destroyOnReturn: false})) {
		size += chunk.length;
		if (size > maxBytes) {
			return undefined;
		}

		chunks.push(chunk);
		if (chunks.length === joinedChunks) {
			joined.push(Buffer.concat(chunks));
			chunks = [];
		}
	}

	return Buffer.concat([...joined, ...chunks]);
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
