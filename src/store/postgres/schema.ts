import {StoreError} from '../../lib/errors.js';
import {background, type Database, locks} from './session/database.js';
import type {Sql} from './session/session.js';

/** One step of the schema. */
export type Migration = {
	/** Version of the schema after this step. */
	readonly version: number;
	/** Oldest version whose nodes can still work with the schema after this step. */
	readonly oldestReader: number;
	/** Statements, separated by semicolons. */
	readonly sql: string;
};

/** Ids, times and addresses are compared byte by byte, as in JavaScript. Whole records are stored in the column `row`. */
const text = 'text collate "C"';

/** Columns of a table with whole records, in the order of their creation. */
const record = `id ${text} primary key, row jsonb not null, place bigint generated always as identity`;

/** Columns of a table with whole records, whose order is not kept. */
const unorderedRecord = `id ${text} primary key, row json not null`;

/** Columns that finished and unfinished deliveries have. The body is in `body` or in the table `bodies`, not in `row`. */
const deliveryColumns = `
	endpoint_id ${text} not null, user_id ${text} not null, place bigint not null, created_at ${text} not null,
	status text not null, event text not null, row jsonb not null,
	body text, body_id ${text}, weight int not null, response int not null`;

/** Storage parameters of tables whose rows are short-lived: autovacuum runs often. */
const shortLived = 'with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)';

const storeTables = `
create schema if not exists tinbox;

create table tinbox.store (
	is_only boolean primary key default true check (is_only),
	id text not null default gen_random_uuid(),
	version int not null,
	oldest_reader int not null
);

-- Source of the copy that this database is, and whether the copy is complete.
create table copy_mark (
	is_only boolean primary key default true check (is_only),
	source text not null,
	is_whole boolean not null
);

create table secrets (name text primary key, sealed bytea not null);

create table nodes (
	id ${text} primary key,
	name text not null,
	version text not null,
	address text not null,
	since timestamptz not null default now(),
	heartbeat_at timestamptz not null default now(),
	waits int not null default 0,
	sessions int not null default 0
);
`;

const accountTables = `
-- The counters are updated in the transactions that add or delete what they count.
create table users (
	${record},
	-- Null while the user is being deleted: the address is free again.
	email ${text} unique,
	inboxes int not null default 0,
	endpoints int not null default 0,
	teams int not null default 0,
	messages bigint not null default 0,
	bytes bigint not null default 0,
	deliveries bigint not null default 0,
	finished bigint not null default 0
) with (fillfactor = 70);

create table keys (
	${record},
	user_id ${text} not null references users on delete cascade,
	hash ${text} not null unique
);
create index on keys (user_id, place);

create table web_sessions (
	${record},
	user_id ${text} not null references users on delete cascade,
	-- Null if the session was created with a token.
	key_id ${text} references keys on delete cascade,
	hash ${text} not null unique,
	expires_at ${text} not null,
	is_ended boolean not null
);
create index on web_sessions (user_id, place);
create index on web_sessions (key_id);
create index on web_sessions (expires_at);

-- Times of the calls within the window of a rate limit, in Unix milliseconds, oldest first.
create table rates (name ${text} primary key, taken bigint[] not null);

create table teams (
	${record},
	owner_id ${text} not null references users
);
create index on teams (owner_id);

create table members (
	user_id ${text} references users on delete cascade,
	team_id ${text} references teams on delete cascade,
	primary key (user_id, team_id)
);
create index on members (team_id);

create table invites (
	id ${text} primary key,
	team_id ${text} not null references teams on delete cascade,
	token_hash ${text} not null unique,
	email ${text} not null,
	expires_at ${text} not null,
	accepted_at ${text},
	row jsonb not null
);
create index on invites (team_id);

-- Users, teams and endpoints that are deleted for readers, while their data is deleted in batches.
create table owner_deletions (
	id ${text} primary key,
	kind text not null,
	user_id ${text} not null,
	since timestamptz not null default now()
);
create index on owner_deletions (user_id);
`;

const mailTables = `
-- A message exists if its inbox does and its place is higher than the inbox's cleared_place.
create table inboxes (
	${record},
	owner_id ${text} not null references users,
	team_id ${text},
	address ${text} not null,
	-- The address without its tag, if it is a plus address.
	base ${text},
	created_at ${text} not null,
	expires_at ${text},
	messages int not null default 0,
	last_place bigint not null default 0,
	cleared_place bigint not null default 0,
	-- Time of the newest message.
	latest_at ${text},
	-- Number of messages evicted so far.
	evicted bigint not null default 0,
	-- When to check the oldest message for eviction.
	evict_at ${text}
) with (fillfactor = 70);
create index on inboxes (address, place);
create index on inboxes (base, owner_id) where base is not null;
create index on inboxes (owner_id, created_at, id);
create index on inboxes (team_id, created_at, id) where team_id is not null;
create index on inboxes (owner_id, (row ->> 'name')) where row ->> 'name' is not null;
create index on inboxes (team_id, (row ->> 'name')) where team_id is not null and row ->> 'name' is not null;
create index on inboxes (expires_at) where expires_at is not null;
create index on inboxes (evict_at) where evict_at is not null;

create table sources (
	id ${text} primary key,
	size bigint not null,
	-- Number of messages with this source.
	uses int not null,
	-- The whole source if it is small; otherwise it is stored in chunks.
	bytes bytea,
	-- When the upload of a large source began; null once a message uses it.
	staged_at timestamptz
) with (toast_tuple_target = 8160);
alter table sources alter column bytes set storage external;
create index on sources (staged_at) where staged_at is not null;

create table source_chunks (
	source_id ${text},
	number int,
	bytes bytea not null,
	primary key (source_id, number)
);
alter table source_chunks alter column bytes set storage external;

create table messages (
	inbox_id ${text},
	place bigint,
	id ${text} not null unique,
	source_id ${text} not null,
	-- Latest arrival time up to this place: ordered like places, even after a clock was set back.
	latest_at ${text} not null,
	weight int not null,
	row json not null,
	primary key (inbox_id, place)
);

-- Inboxes with messages that are deleted for readers, up to a place, and are being deleted in batches.
create table message_deletions (inbox_id ${text} primary key, owner_id ${text} not null, up_to bigint not null);

create table bounces (
	${unorderedRecord},
	message_id ${text} not null,
	owner_id ${text} not null,
	due_at ${text} not null,
	leased_by ${text},
	leased_until timestamptz
);
create index on bounces (due_at);
create index on bounces (message_id);

-- Idempotency records of the sending APIs.
create table receipts (
	${unorderedRecord},
	holder ${text} not null,
	size int not null,
	expires_at ${text} not null
);
create index on receipts (expires_at);
create index on receipts (holder, expires_at, id) include (size);

create table templates (
	${unorderedRecord},
	size int not null,
	user_id ${text} not null references users on delete cascade
);
create index on templates (user_id, id) include (size);
`;

const webhookTables = `
create table endpoints (
	${record},
	user_id ${text} not null references users,
	is_active boolean not null
);
create index on endpoints (user_id, place);

-- Bodies shared by several deliveries, and by how many.
create table bodies (id ${text} primary key, text text not null, uses int not null);

-- Order in which deliveries were created, and order in which they were finished.
create sequence delivery_places;
create sequence finished_places;

-- Unfinished deliveries, and finished ones while they are sent again.
create table deliveries (
	id ${text} primary key,
	${deliveryColumns},
	next_attempt_at ${text}
) ${shortLived};
create index on deliveries (endpoint_id, next_attempt_at, id) where next_attempt_at is not null;
create index on deliveries (next_attempt_at) where next_attempt_at is not null;
create index on deliveries (id) where next_attempt_at is null;
create index on deliveries (endpoint_id, place);
create index on deliveries (endpoint_id, place) where response > 0;

-- The node that sends a delivery, and until when. endpoint_id is null for leases that do not count for the endpoint.
create table leases (
	delivery_id ${text} primary key,
	endpoint_id ${text},
	node text not null,
	until timestamptz not null
) ${shortLived};
create index on leases (endpoint_id, until) where endpoint_id is not null;

-- Partitioned by the day on which deliveries were finished.
create table finished_deliveries (
	id ${text} not null,
	${deliveryColumns},
	finished_place bigint not null default nextval('finished_places'),
	day date not null default (now() at time zone 'utc')::date
) partition by range (day);
create index on finished_deliveries (id);
create index on finished_deliveries (endpoint_id, place);
create index on finished_deliveries (user_id, finished_place);
create index on finished_deliveries (endpoint_id, place) where response > 0;

-- Changes of the delivery counters of users, by weight, that are not yet added to the rows of the users.
create table delivery_counts (
	user_id ${text} not null,
	unfinished bigint not null,
	finished bigint not null,
	at timestamptz not null default clock_timestamp()
) ${shortLived};
create index on delivery_counts (user_id, at);

-- When a node last started periodic work that any node may do.
create table periodic_tasks (name text primary key, started_at timestamptz not null);
`;

const faultTables = `
-- owner_id is the owner of the inbox, or '' for a fault of the daemon.
create table faults (
	${record},
	inbox_id ${text} references inboxes on delete cascade,
	owner_id ${text} not null,
	expires_at ${text}
);
create index on faults (inbox_id, place);
create index on faults (expires_at) where expires_at is not null;

-- key is '' for the fault as a whole; other keys start with "=".
create table fault_counts (
	fault_id ${text} references faults on delete cascade,
	key ${text},
	owner_id ${text} not null,
	place bigint generated always as identity,
	seen bigint not null,
	acted bigint not null,
	passed_at bigint[] not null,
	primary key (fault_id, key)
);
create index on fault_counts (fault_id, place) where key <> '';
create index on fault_counts (owner_id, place) where key <> '';

create table fault_hits (
	${record},
	fault_id ${text},
	inbox_id ${text} references inboxes on delete cascade,
	owner_id ${text} not null
);
create index on fault_hits (inbox_id, place);
create index on fault_hits (fault_id, place);
create index on fault_hits (owner_id, place);
`;

const eventTables = `
-- The events of one transaction, inserted in that transaction.
create table events (
	xid xid8 not null default pg_current_xact_id(),
	node text not null,
	at timestamptz not null default now(),
	items jsonb not null,
	-- Users whose visible inboxes changed.
	scope text[]
);
create index on events (xid);
create index on events (xid) where scope is not null;

-- Events before the start may be deleted.
create table event_log (is_only boolean primary key default true check (is_only), start xid8 not null default '0');
insert into event_log default values;
`;

/** All migrations, oldest first. A release that changes the schema appends one. The versions up to 5 were never released. */
export const migrations: readonly Migration[] = [
	{
		version: 6,
		oldestReader: 6,
		sql: [storeTables, accountTables, mailTables, webhookTables, faultTables, eventTables].join('\n'),
	},
];

/**
 * Brings the schema `tinbox` to the newest version in one transaction. Nodes that start together take turns. Resolves to the id of
 * the store. Throws `StoreError` if the database was upgraded by a newer version that this one cannot work with.
 */
export async function migrate(database: Pick<Database, 'begin'>, known = migrations): Promise<string> {
	const current = await database.begin(background, readVersion);
	return current && isCurrent(current, known)
		? current.id
		: database.begin(background, async sql => {
				await sql`select pg_advisory_xact_lock(${locks.migration})`;
				const locked = await readVersion(sql);
				return locked && isCurrent(locked, known) ? locked.id : upgrade(sql, known, locked?.version ?? 0);
			});
}

type StoredVersion = {readonly id: string; readonly version: number; readonly oldestReader: number};

/** Undefined if the schema does not exist. */
async function readVersion(sql: Pick<Sql, 'unsafe'>): Promise<StoredVersion | undefined> {
	// Not `to_regclass`: it caches that the table is missing while the session waits for the lock.
	const [table] = await sql.unsafe(`select from pg_tables where schemaname = 'tinbox' and tablename = 'store'`);
	return table === undefined
		? undefined
		: (await sql.unsafe<StoredVersion[]>('select id, version, oldest_reader as "oldestReader" from tinbox.store'))[0];
}

function isCurrent({version, oldestReader}: StoredVersion, known: readonly Migration[]): boolean {
	const [oldest, newest] = [known[0]?.version ?? 0, known.at(-1)?.version ?? 0];
	if (version < oldest) {
		throw new StoreError(
			`A version of tinbox that was never released created the database (schema ${version}). Use another database, or delete the schema: drop schema tinbox cascade`,
		);
	}

	if (oldestReader > newest) {
		throw new StoreError(
			`A newer tinbox upgraded the database (schema ${version}; this version supports ${newest}). Update this node.`,
		);
	}

	return version >= newest;
}

async function upgrade(sql: Pick<Sql, 'unsafe'>, known: readonly Migration[], version: number): Promise<string> {
	for (const migration of known.filter(each => each.version > version)) {
		await sql.unsafe(migration.sql);
	}

	const newest = known.at(-1);
	const [row] = await sql.unsafe<{id: string}[]>(
		`insert into tinbox.store (version, oldest_reader) values ($1, $2)
		on conflict (is_only) do update set version = excluded.version, oldest_reader = excluded.oldest_reader
		returning id`,
		[newest?.version ?? 0, newest?.oldestReader ?? 0],
	);
	return row?.id ?? '';
}
