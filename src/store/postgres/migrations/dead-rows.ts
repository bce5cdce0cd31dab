import type {Migration} from './migration.js';

/** Lets statements pass over less of what was deleted, or has nothing that they look for. */
export const deadRows: Migration = {
	version: 3,
	oldestReader: 1,
	statements: [
		'alter table delivery_counts add column at timestamptz not null default clock_timestamp()',
		'create index on delivery_counts (user_id, at)',
		'drop index delivery_counts_user_id_idx',
		'create index on deliveries (endpoint_id, place) where response > 0',
		'create index on finished_deliveries (endpoint_id, place) where response > 0',
	],
};
