const text = 'text collate "C"';

/** Secrets, nodes, users, keys and teams. */
export const accountTables = `
-- What the store is a copy of, and whether all of that is there.
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

-- With what there is of the user's, counted in the transactions that change it.
create table users (
	id ${text} primary key,
	-- Null, as the address is free again, once the user is on the way out and in nobody's sight.
	email ${text} unique,
	place bigint generated always as identity,
	row jsonb not null,
	inboxes int not null default 0,
	endpoints int not null default 0,
	teams int not null default 0,
	messages bigint not null default 0,
	bytes bigint not null default 0,
	deliveries bigint not null default 0,
	finished bigint not null default 0
) with (fillfactor = 70);

create table keys (
	id ${text} primary key,
	user_id ${text} not null references users on delete cascade,
	hash ${text} not null unique,
	place bigint generated always as identity,
	row jsonb not null
);
create index on keys (user_id, place);

-- When turns were taken, in milliseconds, the oldest first.
create table rates (name ${text} primary key, taken bigint[] not null);

create table teams (
	id ${text} primary key,
	owner_id ${text} not null references users,
	place bigint generated always as identity,
	row jsonb not null
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

-- Users, teams and endpoints that are out of sight, and go bit by bit with what belongs to them.
create table departures (
	id ${text} primary key,
	kind text not null,
	user_id ${text} not null,
	since timestamptz not null default now()
);
create index on departures (user_id);
`;
