import type {EventBody} from '../contract/events.js';
import {formatSize} from '../lib/text/units.js';
import {sleep} from '../lib/time/sleep.js';
import {type Caller, path} from './caller.js';

/** Event with its id; pass the id as `lastEventId` to resume after it. */
export type StreamEvent = {readonly id: string; readonly event: EventBody};

/** Maximum time without data. The daemon sends a heartbeat every 15 seconds. */
const silenceMs = 40_000;

/** Maximum number of characters of an event. */
const maxEventLength = 1024 * 1024;

/** Event stream of the inboxes, messages and webhooks visible to the user of the API key. */
export function eventsClient({stream}: Caller) {
	return {
		/** Yields events until the daemon closes the stream. Rejects if the connection fails or the signal aborts. */
		async *follow(signal: AbortSignal, lastEventId?: string): AsyncGenerator<StreamEvent> {
			const silence = new AbortController();
			const listen = () =>
				setTimeout(() => silence.abort(new Error(`The daemon sent nothing for ${silenceMs / 1000} s.`)), silenceMs);
			let timer = listen();
			const heard = () => {
				clearTimeout(timer);
				timer = listen();
			};
			try {
				const chunks = await stream({
					method: 'GET',
					path: path`/events`,
					auth: 'key',
					headers: lastEventId === undefined ? {} : {'last-event-id': lastEventId},
					signal: AbortSignal.any([signal, silence.signal]),
				});
				for await (const block of blocksOf(chunks, heard)) {
					yield* eventIn(block);
				}
			} finally {
				clearTimeout(timer);
			}
		},
	};
}

/** Delays between attempts to reconnect. */
const retryMs = [200, 500, 1000, 2000] as const;

/**
 * Yields events until the signal aborts, reconnecting and resuming after each lost connection. `onLost` is called for each
 * loss; if it throws, the iteration rejects.
 */
export async function* followAlways(
	events: Pick<ReturnType<typeof eventsClient>, 'follow'>,
	signal: AbortSignal,
	onLost: (reason: unknown) => void,
): AsyncGenerator<EventBody> {
	let lastEventId: string | undefined;
	let failures = 0;
	while (!signal.aborted) {
		try {
			for await (const {id, event} of events.follow(signal, lastEventId)) {
				lastEventId = id;
				failures = 0;
				yield event;
			}

			throw new Error('The daemon closed the connection.');
		} catch (error) {
			if (!signal.aborted) {
				onLost(error);
			}
		}

		const waitMs = retryMs[Math.min(failures, retryMs.length - 1)] ?? 0;
		failures++;
		await sleep(waitMs, signal).catch(() => {});
	}
}

/** Splits a stream at empty lines. */
async function* blocksOf(chunks: AsyncIterable<Uint8Array>, onChunk: () => void): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = '';
	for await (const chunk of chunks) {
		onChunk();
		const blocks = (rest + decoder.decode(chunk, {stream: true})).split('\n\n');
		rest = blocks.pop() ?? '';
		if (rest.length > maxEventLength) {
			throw new Error(`The daemon sent an event of more than ${formatSize(maxEventLength)}.`);
		}

		yield* blocks;
	}
}

/** Event in a block; none for a comment. */
function eventIn(block: string): readonly StreamEvent[] {
	const field = (name: string) =>
		block
			.split('\n')
			.find(line => line.startsWith(`${name}: `))
			?.slice(name.length + 2);
	const data = field('data');
	return data === undefined ? [] : [{id: field('id') ?? '', event: JSON.parse(data)}];
}
