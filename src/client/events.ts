import type {EventBody} from '../contract/events.js';
import {path} from './path.js';
import type {Request} from './request.js';

/** An event, and the id behind which to take up after the connection was lost. */
export type ReceivedEvent = {readonly id: string; readonly event: EventBody};

/** The daemon shows every 15 seconds that it is there; after this long without a word it is not. */
const silenceMs = 40_000;

/** What changes in the inboxes, messages and webhooks that the API key's user sees. */
export function eventsClient({stream}: Request) {
	return {
		/** Events as they happen, until the daemon ends them. Rejects when the connection fails or the signal aborts. */
		async *follow(signal: AbortSignal, lastEventId?: string): AsyncGenerator<ReceivedEvent> {
			const silence = new AbortController();
			const timer = setTimeout(() => silence.abort(new Error('The daemon has gone silent.')), silenceMs);
			try {
				const chunks = await stream({
					method: 'GET',
					path: path`/events`,
					auth: 'key',
					headers: lastEventId === undefined ? {} : {'last-event-id': lastEventId},
					signal: AbortSignal.any([signal, silence.signal]),
				});
				for await (const block of blocksOf(chunks, () => timer.refresh())) {
					yield* eventIn(block);
				}
			} finally {
				clearTimeout(timer);
			}
		},
	};
}

/** The stretches between empty lines. */
async function* blocksOf(chunks: AsyncIterable<Buffer>, onChunk: () => void): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = '';
	for await (const chunk of chunks) {
		onChunk();
		const blocks = (rest + decoder.decode(chunk, {stream: true})).split('\n\n');
		rest = blocks.pop() ?? '';
		yield* blocks;
	}
}

/** The event of a block; none for a comment. */
function eventIn(block: string): readonly ReceivedEvent[] {
	const field = (name: string) =>
		block
			.split('\n')
			.find(line => line.startsWith(`${name}: `))
			?.slice(name.length + 2);
	const data = field('data');
	return data === undefined ? [] : [{id: field('id') ?? '', event: JSON.parse(data)}];
}
