import type {Outline} from '../../domain/filter.js';
import type {Message} from '../../domain/message.js';

/** Characters of summaries that are handed over to a thread at once, and on top of them for each message. */
const maxBatch = 256 * 1024;
const perMessage = 256;

/** The messages, as many at a time as are handed over at once. */
export function* batchesOf(rows: readonly Message[]): Generator<readonly Message[]> {
	let batch: Message[] = [];
	let size = 0;
	for (const message of rows) {
		size += perMessage + message.summary.subject.length + message.summary.to.join().length;
		batch.push(message);
		if (size >= maxBatch) {
			yield batch;
			batch = [];
			size = 0;
		}
	}

	if (batch.length > 0) {
		yield batch;
	}
}

/** No more of a message than what is looked at, since it is copied. */
export function outlineOf({to, envelope, session, summary: {messageId, cc, replyTo, ...summary}}: Message): Outline {
	return {to, session, envelope, summary};
}
