import type {Migration} from './migration.js';

/** As in `first.ts`. */
const text = 'text collate "C"';

/**
 * What the sending APIs keep. Older nodes need not know of it: templates go with the users that such nodes delete. Of the mails of one
 * request they show the bytes from the first on.
 */
export const sending: Migration = {
	version: 4,
	oldestReader: 1,
	statements: [
		`create table receipts (
			id ${text} primary key,
			expires_at ${text} not null,
			row json not null
		)`,
		'create index on receipts (expires_at)',
		`create table templates (
			id ${text} primary key,
			user_id ${text} not null references users on delete cascade,
			row json not null
		)`,
		'create index on templates (user_id, id)',
	],
};
