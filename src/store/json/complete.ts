import type {Message, Summary} from '../../domain/mail/message.js';
import {eventBody} from '../../domain/webhooks/request.js';
import type {Log} from '../../lib/log.js';
import type {SourceStore} from '../port.js';
import type {Patch} from './state/change.js';
import type {State} from './state/state.js';
import type {Writer} from './writer.js';

/** What the header section at the beginning of a mail says. */
export type Summarize = (mail: Buffer) => Promise<Summary>;

export type CompleteParts = {
	readonly state: State;
	readonly writer: Pick<Writer, 'commit'>;
	readonly sources: Pick<SourceStore, 'read'>;
	readonly summarize: Summarize;
	readonly log: Log;
};

/** Bytes of a source that are read for its header section. */
const headBytes = 64 * 1024;

const rowsPerCommit = 1000;

/**
 * Adds what an older version wrote only after the commit of a mail, and a crash or a full disk kept from the journal:
 * summaries of messages and bodies of deliveries, which are null then. Where damage took a body that deliveries shared, each
 * gets it again. To be called before anything is read.
 */
export async function completeRows({state, writer, sources, summarize, log}: CompleteParts): Promise<void> {
	const {messages, deliveries, bodies} = state.tables;
	const patchAll = async <Row>(rows: readonly Row[], patchOf: (row: Row) => Patch | Promise<Patch>): Promise<void> => {
		for (let first = 0; first < rows.length; first += rowsPerCommit) {
			const patches = await Promise.all(rows.slice(first, first + rowsPerCommit).map(patchOf));
			await writer.commit(patches).catch(error => {
				log.warn({err: error}, 'Could not save upgraded rows of an older version; retrying at the next start');
				state.apply(patches);
			});
		}
	};
	const unread = [...messages.values()].filter((row: {readonly summary: Summary | null}) => row.summary === null);
	await patchAll(unread, async ({id, sourceId}) => {
		const summary = await summarize(await readHead(sources, sourceId));
		return ['patch', 'messages', id, {summary}];
	});
	const unwritten = [...deliveries.values()].filter(({body, bodyId = ''}) => body == null && !bodies.has(bodyId));
	await patchAll(unwritten, ({id, messageId}) => bodyPatch(id, messages.get(messageId ?? '')));
}

function bodyPatch(id: string, message: Message | undefined): Patch {
	const responseBody = 'Not sent: the message was deleted before its header was read.';
	return [
		'patch',
		'deliveries',
		id,
		message ? {body: eventBody(message)} : {body: '', status: 'dead', nextAttemptAt: null, responseBody},
	];
}

/** Nothing when the source is gone: then the envelope is all there is. */
async function readHead(sources: Pick<SourceStore, 'read'>, sourceId: string): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	for await (const chunk of (await sources.read(sourceId)) ?? []) {
		chunks.push(chunk);
		size += chunk.length;
		if (size >= headBytes) {
			break;
		}
	}

	return Buffer.concat(chunks);
}
