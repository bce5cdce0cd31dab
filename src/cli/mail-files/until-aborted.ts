import type {Readable} from 'node:stream';

/** The pieces of a stream. Throws the reason of the signal as soon as that aborts, even where a read never ends, as that of a pipe. */
export async function* untilAborted(stream: Readable, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	const pieces: AsyncIterator<Uint8Array> = stream.iterator({destroyOnReturn: false});
	let stop = () => {};
	const aborted = new Promise<never>((_, reject) => {
		stop = () => reject(signal.reason);
		signal.addEventListener('abort', stop);
	});
	aborted.catch(() => {});
	try {
		signal.throwIfAborted();
		for (;;) {
			const {value, done} = await Promise.race([pieces.next(), aborted]);
			if (done) {
				return;
			}

			yield value;
		}
	} finally {
		signal.removeEventListener('abort', stop);
		stream.destroy();
	}
}
