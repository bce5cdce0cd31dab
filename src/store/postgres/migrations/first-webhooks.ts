/** As in `first.ts`. */
const text = 'text collate "C"';

/** Vacuumed often, since rows come and go fast. */
const lively = 'with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)';

/** The tables of webhooks, as the first migration makes them. */
export const webhookTables = `
create table endpoints (
	id ${text} primary key,
	user_id ${text} not null references users,
	is_active boolean not null,
	place bigint generated always as identity,
	row jsonb not null
);
create index on endpoints (user_id, place);

-- What several deliveries say, and how many.
create table bodies (id ${text} primary key, text text not null, uses int not null);

-- The order in which deliveries were made, and the order in which they were finished.
create sequence delivery_places;
create sequence finished_places;

-- Unfinished ones, and for the time of their attempt those that are sent again. The row is without the body, which stands here or in bodies.
create table deliveries (
	id ${text} primary key,
	endpoint_id ${text} not null,
	user_id ${text} not null,
	place bigint not null,
	body text,
	body_id ${text},
	weight int not null,
	response int not null,
	status text not null,
	event text not null,
	next_attempt_at ${text},
	created_at ${text} not null,
	row jsonb not null
) ${lively};
create index on deliveries (endpoint_id, next_attempt_at, id) where next_attempt_at is not null;
create index on deliveries (next_attempt_at) where next_attempt_at is not null;
create index on deliveries (id) where next_attempt_at is null;
create index on deliveries (endpoint_id, place);

-- Which node sends a delivery until when; without an endpoint, which one is going to.
create table leases (
	delivery_id ${text} primary key,
	endpoint_id ${text},
	node text not null,
	until timestamptz not null
) ${lively};
create index on leases (endpoint_id, until) where endpoint_id is not null;

-- By the day on which they were finished.
create table finished_deliveries (
	id ${text} not null,
	endpoint_id ${text} not null,
	user_id ${text} not null,
	place bigint not null,
	finished_place bigint not null default nextval('finished_places'),
	body text,
	body_id ${text},
	weight int not null,
	response int not null,
	status text not null,
	event text not null,
	created_at ${text} not null,
	day date not null default (now() at time zone 'utc')::date,
	row jsonb not null
) partition by range (day);
create index on finished_deliveries (id);
create index on finished_deliveries (endpoint_id, place);
create index on finished_deliveries (user_id, finished_place);

-- Changes of what users have of deliveries, by weight, on their way to the rows of the users.
create table delivery_counts (user_id ${text} not null, unfinished bigint not null, finished bigint not null) ${lively};
create index on delivery_counts (user_id);

-- When a node last began with what any node may do from time to time.
create table duties (name text primary key, begun_at timestamptz not null);
`;
