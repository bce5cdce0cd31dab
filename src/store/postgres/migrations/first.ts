import {accountTables} from './first-accounts.js';
import {faultTables} from './first-faults.js';
import {webhookTables} from './first-webhooks.js';
import type {Migration} from './migration.js';

/** Of ids, times and addresses, which compare byte by byte as they do in the records; those are kept whole in `row`. */
const text = 'text collate "C"';

const mail = `
-- A message is there when its inbox is, and it came behind what was cleared.
create table inboxes (
	id ${text} primary key,
	owner_id ${text} not null references users,
	team_id ${text},
	claim ${text} not null,
	-- Of a plus address: the address without its tag.
	base ${text},
	created_at ${text} not null,
	expires_at ${text},
	place bigint generated always as identity,
	row jsonb not null,
	messages int not null default 0,
	last_place bigint not null default 0,
	cleared_place bigint not null default 0,
	-- The latest time at which any of its messages came.
	latest_at ${text}
) with (fillfactor = 70);
create index on inboxes (claim, place);
create index on inboxes (base, owner_id) where base is not null;
create index on inboxes (owner_id, created_at, id);
create index on inboxes (team_id, created_at, id) where team_id is not null;
create index on inboxes (expires_at) where expires_at is not null;

create table sources (
	id ${text} primary key,
	size bigint not null,
	-- How many messages have it.
	uses int not null,
	-- All of a small one; others have chunks.
	bytes bytea,
	-- When a large one began to come in, as long as no message has it.
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
	-- The latest time at which it or one before it came: places and these times are in one order, also where a clock was set back.
	latest_at ${text} not null,
	weight int not null,
	row json not null,
	primary key (inbox_id, place)
);

-- Messages that are out of sight, and go bit by bit.
create table removals (inbox_id ${text} primary key, owner_id ${text} not null, up_to bigint not null);

create table bounces (
	id ${text} primary key,
	message_id ${text} not null,
	owner_id ${text} not null,
	due_at ${text} not null,
	leased_by ${text},
	leased_until timestamptz,
	row json not null
);
create index on bounces (due_at);
create index on bounces (message_id);
`;

const events = `
-- Events of a transaction, written in the same transaction.
create table events (
	xid xid8 not null default pg_current_xact_id(),
	node text not null,
	at timestamptz not null default now(),
	items jsonb not null,
	-- Whose scope changed.
	scope text[]
);
create index on events (xid);
create index on events (xid) where scope is not null;

-- Events before its start may be gone.
create table event_log (is_only boolean primary key default true check (is_only), start xid8 not null default '0');
insert into event_log default values;
`;

export const first: Migration = {
	version: 1,
	oldestReader: 1,
	statements: [accountTables, mail, webhookTables, faultTables, events],
};
