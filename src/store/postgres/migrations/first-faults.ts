const text = 'text collate "C"';

/** Faults with their counts and hits, each with the owner of its inbox (for those of the daemon: nobody, ''). */
export const faultTables = `
create table faults (
	id ${text} primary key,
	inbox_id ${text} references inboxes on delete cascade,
	owner_id ${text} not null,
	expires_at ${text},
	place bigint generated always as identity,
	row jsonb not null
);
create index on faults (inbox_id, place);
create index on faults (expires_at) where expires_at is not null;

-- By key, with a mark before it, and without any for the fault as a whole.
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
	id ${text} primary key,
	fault_id ${text},
	inbox_id ${text} references inboxes on delete cascade,
	owner_id ${text} not null,
	place bigint generated always as identity,
	row jsonb not null
);
create index on fault_hits (inbox_id, place);
create index on fault_hits (fault_id, place);
create index on fault_hits (owner_id, place);
`;
