import type {IncomingMessage} from 'node:http';

/** The body of a request or an answer. Undefined when it is longer than `maxBytes`, as soon as that is known. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
	const chunks: Buffer[] = [];
	let size = 0;
	// A client that sends too much is still to be answered, for which the socket is needed.
	for await (const chunk of request.iterator({destroyOnReturn: false})) {
		size += chunk.length;
		if (size > maxBytes) {
			return undefined;
		}

		chunks.push(chunk);
	}

	return Buffer.concat(chunks);
}

/**
 * Items in batches, in their order: each of what came while the one before was worked on, as long as the next one fits. What comes
 * slowly is handed on at once.
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
	// What it fails with is thrown behind what came before.
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
