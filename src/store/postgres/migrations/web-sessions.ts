import type {Migration} from './migration.js';

/** As in `first.ts`. */
const text = 'text collate "C"';

/** Older nodes need not know of web sessions: they go with the keys and the users that such nodes delete. */
export const webSessions: Migration = {
	version: 2,
	oldestReader: 1,
	statements: [
		`create table web_sessions (
			id ${text} primary key,
			user_id ${text} not null references users on delete cascade,
			-- Null when a token made it.
			key_id ${text} references keys on delete cascade,
			hash ${text} not null unique,
			expires_at ${text} not null,
			is_ended boolean not null,
			place bigint generated always as identity,
			row jsonb not null
		)`,
		'create index on web_sessions (user_id, place)',
		'create index on web_sessions (key_id)',
		'create index on web_sessions (expires_at)',
	],
};
