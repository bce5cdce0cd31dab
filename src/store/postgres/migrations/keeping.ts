import type {Migration} from './migration.js';

/**
 * How many messages of an inbox were evicted, and when it is to be looked at because of its oldest one. Older nodes can go on: mail
 * that they take is evicted when a newer one takes some for the same inbox, looks at it, or starts.
 */
export const keeping: Migration = {
	version: 5,
	oldestReader: 1,
	statements: [
		'alter table inboxes add column evicted bigint not null default 0, add column evict_at text collate "C"',
		'create index on inboxes (evict_at) where evict_at is not null',
	],
};
