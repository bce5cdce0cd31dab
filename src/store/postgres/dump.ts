import {setTimeout as sleep} from 'node:timers/promises';
import postgres from 'postgres';
import {canonicalAddress, untagged} from '../../domain/mail/address.js';
import type {Message} from '../../domain/mail/message.js';
import {lostAfterMs} from '../../domain/node.js';
import {StoreError} from '../../lib/errors.js';
import type {DumpRows, DumpStore, DumpTable, ReadSource} from '../dump.js';
import type {SourceStore, StagedSource} from '../port.js';
import {addDeliveries} from './deliveries/write.js';
import {writeMails} from './mail-commit.js';
import {insertTemplates, putReceipts} from './nouns/sending.js';
import {insertion, lockInboxOwners, lockOwners} from './rows.js';
import {background, type Database, locks} from './session/database.js';
import {columnText} from './session/row-text.js';
import type {Sql, Transaction} from './session/session.js';

/** Rows per batch. */
const rowsAtOnce = 128;

/** Pause between two checks for running deletions. */
const pauseMs = 100;

export function createDumpStore(database: Database, sources: SourceStore): DumpStore {
	return {
		count: async table => {
			const [found] = await database.run(
				sql => counts[table]?.(sql) ?? sql<Count[]>`select count(*) from ${sql(postgres.fromCamel(table))}`,
			);
			return found?.count ?? 0;
		},
		read: (table, skip) => read(database, table, skip),
		load: async (table, rows, readSource) => {
			if (table === 'messages') {
				await loadMessages(database, rows as ReadonlyArray<DumpRows['messages']>, {sources, readSource});
			} else {
				await database.begin(background, async sql =>
					loaders[table as Exclude<DumpTable, 'messages'>](sql, rows as never),
				);
			}
		},
		mark: async () => {
			await deletionsDone(database);
			const [mark] = await database.run(
				sql => sql<{from: string; isWhole: boolean}[]>`select source as from, is_whole as "isWhole" from copy_mark`,
			);
			return mark;
		},
		setMark: async ({from, isWhole}) => {
			await database.run(
				sql => sql`
					insert into copy_mark (source, is_whole) values (${from}, ${isWhole})
					on conflict (is_only) do update set source = excluded.source, is_whole = excluded.is_whole
				`,
			);
		},
	};
}

/** Reads a table in batches, one statement each, since long statements are cancelled. */
async function* read<T extends DumpTable>(
	database: Database,
	table: T,
	skip: number,
): AsyncGenerator<ReadonlyArray<DumpRows[T]>> {
	let part: DumpPart = {id: '', place: 0, skip, limit: rowsAtOnce};
	for (let isLast = false; !isLast; ) {
		const found: readonly DumpFound<DumpRows[T]>[] = await database.run(sql => selects[table](sql, part));
		const last = found.at(-1);
		part = {...part, id: last?.id ?? '', place: last?.place ?? 0, skip: 0};
		isLast = found.length < rowsAtOnce;
		if (last) {
			yield found.map(({row}) => row);
		}
	}
}

/** Waits until all deletions are complete. The sweep of this node also finishes deletions that a stopped node left. */
async function deletionsDone(database: Database): Promise<void> {
	const left = async () => {
		const [found] = await database.run(
			sql => sql<{isLeft: boolean}[]>`
				select exists (select from message_deletions) or exists (select from owner_deletions) as "isLeft"
			`,
		);
		return found?.isLeft ?? false;
	};
	while (await left()) {
		await sleep(pauseMs);
	}
}

/** Throws `StoreError` if the database contains an unfinished copy: its data is incomplete. */
export async function assertWholeDatabase(database: Database): Promise<void> {
	const [mark] = await database.run(sql => sql`select from copy_mark where not is_whole`);
	if (mark) {
		throw new StoreError('The database contains an unfinished copy. Finish it: tinbox store copy');
	}
}

/**
 * Locks the database for a copy until the session ends. Throws `StoreError` if another copy runs or nodes use the database.
 */
export async function lockForCopy(session: Sql): Promise<void> {
	const [taken] = await session`select pg_try_advisory_lock(${locks.copy}) as "isMine"`;
	if (!taken?.['isMine']) {
		throw new StoreError('Another "tinbox store copy" is running in the database. Wait until it ends.');
	}

	const nodes = await session<{name: string}[]>`
		select name from nodes where heartbeat_at >= now() - ${`${lostAfterMs} milliseconds`}::interval order by name
	`;
	if (nodes.length > 0) {
		const names = nodes.map(({name}) => name).join(', ');
		throw new StoreError(`The database is in use (nodes: ${names}). Stop these nodes.`);
	}
}

/** Page of rows: at most `limit` after the key (`id`, `place`), skipping `skip`. */
type DumpPart = {readonly id: string; readonly place: number; readonly skip: number; readonly limit: number};

/** A row with its key. */
type DumpFound<Row> = {readonly row: Row; readonly id?: string; readonly place?: number};

type Select<T extends DumpTable> = (sql: Sql, part: DumpPart) => PromiseLike<readonly DumpFound<DumpRows[T]>[]>;

/** Query for the rows of a table in the order of a column. */
function orderedBy<T extends DumpTable>(column: 'id' | 'place', table: T): Select<T> {
	return (sql, {skip, limit, ...after}) => sql<DumpFound<DumpRows[T]>[]>`
		select row, ${sql(column)} from ${sql(postgres.fromCamel(table))}
		where ${sql(column)} > ${after[column]} order by ${sql(column)} offset ${skip} limit ${limit}
	`;
}

/** Queries for the rows of each table, in a stable order. */
const selects: {readonly [T in DumpTable]: Select<T>} = {
	users: orderedBy('place', 'users'),
	keys: orderedBy('place', 'keys'),
	webSessions: orderedBy('place', 'webSessions'),
	teams: orderedBy('place', 'teams'),
	invites: orderedBy('id', 'invites'),
	inboxes: (sql, {place, skip, limit}) => sql<DumpFound<DumpRows['inboxes']>[]>`
		select case evicted when 0 then row else row || jsonb_build_object('evicted', evicted) end as row, place
		from inboxes where place > ${place} order by place offset ${skip} limit ${limit}
	`,
	// Messages up to cleared_place are deleted.
	messages: (sql, {id, place, skip, limit}) => sql<DumpFound<DumpRows['messages']>[]>`
		select m.row, m.inbox_id as id, m.place
		from messages m join inboxes i on i.id = m.inbox_id and m.place > i.cleared_place
		where (m.inbox_id, m.place) > (${id}, ${place})
		order by m.inbox_id, m.place offset ${skip} limit ${limit}
	`,
	bounces: orderedBy('id', 'bounces'),
	endpoints: orderedBy('place', 'endpoints'),
	deliveries: (sql, {id, place, skip, limit}) => {
		const of = (table: string) => sql`
			select row, body, body_id, endpoint_id, place from ${sql(table)}
			where (endpoint_id, place) > (${id}, ${place}) order by endpoint_id, place limit ${skip + limit}
		`;
		return sql<DumpFound<DumpRows['deliveries']>[]>`
			select d.row || jsonb_build_object('body', coalesce(d.body, b.text)) as row, d.endpoint_id as id, d.place
			from ((${of('deliveries')}) union all (${of('finished_deliveries')})) d left join bodies b on b.id = d.body_id
			order by d.endpoint_id, d.place offset ${skip} limit ${limit}
		`;
	},
	faults: orderedBy('place', 'faults'),
	faultCounts: (sql, {place, skip, limit}) => sql<DumpFound<DumpRows['faultCounts']>[]>`
		select jsonb_build_object(
			'id', case key when '' then fault_id else fault_id || ' ' || substr(key, 2) end,
			'faultId', fault_id, 'seen', seen, 'acted', acted, 'passedAt', passed_at
		) as row, place
		from fault_counts where place > ${place} order by place offset ${skip} limit ${limit}
	`,
	faultHits: orderedBy('place', 'faultHits'),
	receipts: orderedBy('id', 'receipts'),
	templates: orderedBy('id', 'templates'),
};

type Count = {readonly count: number};

/** Queries for the number of rows; by default all rows of the table count. */
const counts: {readonly [T in DumpTable]?: (sql: Sql) => PromiseLike<readonly Count[]>} = {
	messages: sql => sql<Count[]>`select coalesce(sum(messages), 0)::bigint as count from inboxes`,
	deliveries: sql => sql<Count[]>`
		select (select count(*) from deliveries) + (select count(*) from finished_deliveries) as count
	`,
};

type SourceAccess = {readonly sources: SourceStore; readonly readSource: ReadSource};

const noUsage = {inboxes: 0, endpoints: 0, teams: 0, messages: 0, bytes: 0, deliveries: 0};

/** Adds messages to their inboxes, with sources that are missing. */
async function loadMessages(database: Database, messages: readonly Message[], access: SourceAccess): Promise<void> {
	for (const mails of runsOf(messages)) {
		const ids = mails.map(([{sourceId}]) => sourceId);
		const known = await knownSources(database, ids);
		const staged = await Promise.all(mails.map(async ([first]) => sourceOf(first, known, access)));
		await database.begin(background, async sql => {
			const added = mails.map((messages, index) => ({
				source: staged[index] ?? knownSource(messages[0].sourceId, 0),
				messages,
				deliveries: [],
			}));
			const {outcomes} = await writeMails(sql, added, {nodeId: '', retention: null, total: noUsage});
			for (const outcome of outcomes) {
				if ('error' in outcome) {
					throw outcome.error;
				}
			}

			// Sources that are missing in the original are missing here, too.
			const lost = ids.filter((_, index) => staged[index] === undefined);
			await sql`delete from sources where id = any(${lost})`;
		});
	}
}

type Mail = readonly [Message, ...Message[]];

/** Groups consecutive messages by mail, and mails into runs. A mail that occurs again starts a new run. */
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

/** Sizes of the stored sources. Deletes unfinished uploads of an interrupted copy. */
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
	{sources, readSource}: SourceAccess,
): Promise<StagedSource | undefined> {
	const size = known.get(sourceId);
	if (size !== undefined) {
		return knownSource(sourceId, size);
	}

	const bytes = await readSource(sourceId);
	return bytes && sources.stage(bytes, sourceId);
}

/** A source that is stored already, without its bytes. */
function knownSource(id: string, size: number): StagedSource {
	return {id, size, head: Buffer.alloc(0)};
}

type Load<T extends DumpTable> = (sql: Transaction, rows: ReadonlyArray<DumpRows[T]>) => Promise<void>;

/** Functions that insert rows of each table and update the counters of their owners. */
const loaders: {readonly [T in Exclude<DumpTable, 'messages'>]: Load<T>} = {
	users: async (sql, users) => {
		const emails = users.map(({email}) => columnText(canonicalAddress(email)));
		const there = await sql<{email: string}[]>`select email from users where email = any(${emails})`;
		const taken = new Set(there.map(({email}) => email));
		await insertion(sql, 'users', users, ({id}, index) => {
			const email = emails[index] ?? '';
			// Only the first user with an address gets it.
			const own = taken.has(email) ? `${email} ${id}` : email;
			taken.add(email);
			return {email: own};
		});
	},
	keys: async (sql, keys) => void (await insertion(sql, 'keys', keys)),
	webSessions: async (sql, sessions) => void (await insertion(sql, 'webSessions', sessions)),
	teams: async (sql, teams) => {
		await insertion(sql, 'teams', teams);
		const members = teams.flatMap(({id, members}) => members.map(({userId}) => ({team_id: id, user_id: userId})));
		await sql`insert into members ${sql(members)}`;
		await countForOwners(sql, 'teams', teams);
	},
	invites: async (sql, invites) => {
		await insertion(sql, 'invites', invites, ({email}) => ({email: columnText(canonicalAddress(email))}));
	},
	inboxes: async (sql, inboxes) => {
		const rows = inboxes.map(({evicted: _, ...inbox}) => inbox);
		await insertion(sql, 'inboxes', rows, ({address}, index) => {
			const canonical = canonicalAddress(address);
			const base = untagged(canonical);
			return {
				address: columnText(canonical),
				base: base === null ? null : columnText(base),
				evicted: inboxes[index]?.evicted ?? 0,
			};
		});
		await countForOwners(sql, 'inboxes', inboxes);
	},
	bounces: async (sql, bounces) => void (await insertion(sql, 'bounces', bounces)),
	endpoints: async (sql, endpoints) => {
		await insertion(sql, 'endpoints', endpoints);
		const owned = endpoints.map(({userId}) => ({ownerId: userId}));
		await countForOwners(sql, 'endpoints', owned);
	},
	deliveries: async (sql, deliveries) => {
		// No node has this id, so nobody holds the leases.
		await addDeliveries(sql, deliveries, 'copy');
	},
	faults: async (sql, faults) => {
		const owners = await lockInboxOwners(sql, faults);
		await insertion(sql, 'faults', faults, ({inboxId}) => ({owner_id: owners.get(inboxId) ?? ''}));
	},
	faultCounts: async (sql, counts) => {
		const faultIds = counts.map(({faultId}) => faultId);
		const owners = await lockOwners(sql, 'faults', faultIds);
		const rows = counts.map(({id, faultId, seen, acted, passedAt}) => ({
			fault_id: faultId,
			key: id === faultId ? '' : `=${columnText(id.slice(faultId.length + 1))}`,
			owner_id: owners.get(faultId) ?? '',
			seen,
			acted,
			passed_at: passedAt,
		}));
		await sql`insert into fault_counts ${sql(rows)}`;
	},
	faultHits: async (sql, hits) => {
		const owners = await lockInboxOwners(sql, hits);
		await insertion(sql, 'faultHits', hits, ({inboxId}) => ({owner_id: owners.get(inboxId) ?? ''}));
	},
	receipts: putReceipts,
	templates: insertTemplates,
};

/** Updates the counters of the owners. */
async function countForOwners(
	sql: Transaction,
	what: 'inboxes' | 'endpoints' | 'teams',
	rows: ReadonlyArray<{readonly ownerId: string}>,
): Promise<void> {
	await sql`
		update users set ${sql(what)} = users.${sql(what)} + more.count
		from (select id, count(*) from unnest(${rows.map(({ownerId}) => ownerId)}::text[]) as id group by id) as more
		where users.id = more.id
	`;
}
