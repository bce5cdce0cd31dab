import type {Message} from '../../../domain/mail/message.js';
import type {ReadSource} from '../../dump.js';
import type {SourceStore, StagedSource} from '../../port.js';
import type {Database} from '../database.js';
import {writeMails} from '../mail-commit.js';

type Ways = {readonly sources: SourceStore; readonly readSource: ReadSource};

const nothing = {inboxes: 0, endpoints: 0, teams: 0, messages: 0, bytes: 0, deliveries: 0};

/** Adds messages behind those that their inboxes have, and brings the sources that are not there. */
export async function loadMessages(database: Database, messages: readonly Message[], ways: Ways): Promise<void> {
	for (const mails of runsOf(messages)) {
		const ids = mails.map(([{sourceId}]) => sourceId);
		const known = await knownSources(database, ids);
		const staged = await Promise.all(mails.map(async ([first]) => sourceOf(first, known, ways)));
		await database.begin(async sql => {
			const added = mails.map((messages, index) => ({
				source: staged[index] ?? emptyOf(messages[0].sourceId, 0),
				messages,
				deliveries: [],
			}));
			const {outcomes} = await writeMails(sql, added, {nodeId: '', keeping: null, inAll: nothing});
			for (const outcome of outcomes) {
				if ('error' in outcome) {
					throw outcome.error;
				}
			}

			// Lost where they come from, they are lost here, too.
			const lost = ids.filter((_, index) => staged[index] === undefined);
			await sql`delete from sources where id = any(${lost})`;
		});
	}
}

type Mail = readonly [Message, ...Message[]];

/** The messages of a mail together, as long as they follow each other; a mail that comes again begins another run. */
function* runsOf(messages: readonly Message[]): Generator<readonly Mail[]> {
	let run: [Message, ...Message[]][] = [];
	let ids = new Set<string>();
	for (const message of messages) {
		const last = run.at(-1);
		if (last?.[0].sourceId === message.sourceId) {
			last.push(message);
			continue;
		}

		if (ids.has(message.sourceId)) {
			yield run;
			run = [];
			ids = new Set();
		}

		run.push([message]);
		ids.add(message.sourceId);
	}

	yield run;
}

/** The sizes of those that are there. What is left of a large one that was on its way when a copy ended is taken away. */
async function knownSources(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
	return database.run(async sql => {
		await sql`
			with gone as (delete from sources where id = any(${ids}) and staged_at is not null returning id)
			delete from source_chunks using gone where source_id = gone.id
		`;
		const known = await sql<{id: string; size: number}[]>`select id, size from sources where id = any(${ids})`;
		return new Map(known.map(({id, size}) => [id, size]));
	});
}

async function sourceOf(
	{sourceId}: Message,
	known: ReadonlyMap<string, number>,
	{sources, readSource}: Ways,
): Promise<StagedSource | undefined> {
	const size = known.get(sourceId);
	if (size !== undefined) {
		return emptyOf(sourceId, size);
	}

	const bytes = await readSource(sourceId);
	return bytes && sources.stage(bytes, sourceId);
}

/** Tells of a source without its bytes. */
function emptyOf(id: string, size: number): StagedSource {
	return {id, size, head: Buffer.alloc(0)};
}
